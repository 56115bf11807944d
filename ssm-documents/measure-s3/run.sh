#!/bin/bash
# Downloads or uploads S3 objects by parallel curl under the streamer, whose result becomes the document's.
source ../shared/streamer.sh

install_program ../shared/curl_streams.py
install_program measure_s3.py
# Before the measured time, an object of random bytes is made and, for a download, uploaded (PREPARE_SECONDS).
readonly LIMIT_SECONDS=$((10#$SSM_DurationSeconds + 80))
measure --tool s3 --program curl -- timeout -k 5 "$LIMIT_SECONDS" python3 -u "$PROGRAM_DIRECTORY/measure_s3.py" \
  --bucket "$SSM_PayloadBucket" --measurement-id "$SSM_MeasurementId" --operation "$SSM_Operation" \
  --scheme "$SSM_Scheme" --streams "$SSM_ParallelStreams" --object-bytes "$SSM_ObjectBytes" \
  --range-bytes "$SSM_RangeBytes" --duration-seconds "$SSM_DurationSeconds"
