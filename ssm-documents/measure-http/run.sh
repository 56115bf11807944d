#!/bin/bash
# Downloads the server's object by parallel curl under the streamer, whose result becomes the document's.
set -euo pipefail
# shellcheck source=ssm-documents/shared/result.sh
source ../shared/result.sh
# shellcheck source=ssm-documents/shared/streamer.sh
source ../shared/streamer.sh

require_prepared_host
install_program curl_streams.py <<'END_OF_FILE'
#embed ../shared/curl_streams.py
END_OF_FILE
install_program measure_http.py <<'END_OF_FILE'
#embed measure_http.py
END_OF_FILE
# After the measured time only the request that ends the server follows.
readonly LIMIT_SECONDS=$((10#$SSM_DurationSeconds + 15))
measure --tool http --program curl -- timeout -k 5 "$LIMIT_SECONDS" python3 -u "${STREAMER%/*}/measure_http.py" \
  --server "$SSM_ServerAddress:$SSM_Port" --scheme "$SSM_Scheme" --streams "$SSM_ParallelStreams" \
  --duration-seconds "$SSM_DurationSeconds"
