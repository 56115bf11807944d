/** Measures how long `analyse --series` takes per series of half an hour, with the public benchmark's mix of kinds. */
import { generatedLong } from './detection-sets';
import { detectorTimes } from './detector-times';

console.log(detectorTimes(generatedLong(1)));
