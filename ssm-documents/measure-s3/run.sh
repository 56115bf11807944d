#!/bin/bash
# Downloads or uploads S3 objects by parallel curl under the streamer, whose result becomes the document's.
set -euo pipefail
# shellcheck source=ssm-documents/shared/result.sh
source ../shared/result.sh
# shellcheck source=ssm-documents/shared/streamer.sh
source ../shared/streamer.sh

require_prepared_host
install_program curl_streams.py <<'END_OF_FILE'
#embed ../shared/curl_streams.py
END_OF_FILE
install_program measure_s3.py <<'END_OF_FILE'
#embed measure_s3.py
END_OF_FILE
# Before the measured time, an object of random bytes is made and, for a download, uploaded (PREPARE_SECONDS).
readonly LIMIT_SECONDS=$((10#$SSM_DurationSeconds + 80))
measure --tool s3 --program curl -- timeout -k 5 "$LIMIT_SECONDS" python3 -u "${STREAMER%/*}/measure_s3.py" \
  --bucket "$SSM_PayloadBucket" --measurement-id "$SSM_MeasurementId" --operation "$SSM_Operation" \
  --scheme "$SSM_Scheme" --streams "$SSM_ParallelStreams" --object-bytes "$SSM_ObjectBytes" \
  --range-bytes "$SSM_RangeBytes" --duration-seconds "$SSM_DurationSeconds"
