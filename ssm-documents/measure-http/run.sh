#!/bin/bash
# Downloads the server's object by parallel curl under the streamer, whose result becomes the document's.
source ../shared/streamer.sh

install_program ../shared/curl_streams.py
install_program measure_http.py
# After the measured time only the request that ends the server follows.
readonly LIMIT_SECONDS=$((10#$SSM_DurationSeconds + 15))
measure --tool http --program curl -- timeout -k 5 "$LIMIT_SECONDS" python3 -u "$PROGRAM_DIRECTORY/measure_http.py" \
  --server "$SSM_ServerAddress:$SSM_Port" --scheme "$SSM_Scheme" --streams "$SSM_ParallelStreams" \
  --duration-seconds "$SSM_DurationSeconds"
