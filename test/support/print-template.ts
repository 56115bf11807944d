/** Prints the template of the stack with its defaults, for the tests in Python. */
import { defaultTemplate } from './synth';

process.stdout.write(JSON.stringify(defaultTemplate().toJSON(), null, 1));
