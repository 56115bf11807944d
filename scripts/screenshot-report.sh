#!/usr/bin/env bash
# Takes pictures of a report with headless Chromium: wide, narrow (a phone), dark, and the printed pages as PDF.
# Usage: scripts/screenshot-report.sh REPORT.html FOLDER
set -euo pipefail
if (($# != 2)); then
  echo 'usage: scripts/screenshot-report.sh REPORT.html FOLDER' >&2
  exit 2
fi
report=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [[ -z $browser ]]; then
  echo 'screenshot-report: needs Chromium: sudo apt-get install -y chromium' >&2
  exit 1
fi
profile=$(mktemp -d)
trap 'rm -rf "$profile"' EXIT

# The same choice as that of the tests in browsers, and for the same reasons (hasSandbox in test/browser/browsers.ts).
sandbox=()
if ((UID == 0)) || ! unshare --user --map-root-user true 2>/dev/null; then sandbox=(--no-sandbox); fi

browse() {
  # Background traffic is switched off.
  "$browser" --headless "${sandbox[@]}" --disable-gpu --disable-quic --no-first-run --disable-background-networking \
    --disable-component-update --disable-sync --hide-scrollbars --user-data-dir="$profile" "$@" "file://$report" \
    >"$profile/log" 2>&1 || { cat "$profile/log" >&2; return 1; }
}

# picture NAME WIDTH HEIGHT [OPTION]
picture() {
  browse --window-size="$2,$3" "${@:4}" --screenshot="$folder/$1.png"
  echo "$folder/$1.png"
}

height=${SCREENSHOT_HEIGHT:-5200}
picture wide 1200 "$height"
picture dark 1200 "$height" --blink-settings=preferredColorScheme=0
# Chromium's window is never narrower than 500 pixels, so the phone's page is in a frame.
frame=$profile/narrow.html
printf '<!doctype html><body style="margin:0"><iframe src="file://%s" style="border:0;width:390px;height:%spx"></iframe>' \
  "$report" "$((height * 2))" >"$frame"
printed=$report
report=$frame
picture narrow 500 "$((height * 2))"
report=$printed
browse --no-pdf-header-footer --print-to-pdf="$folder/print.pdf"
echo "$folder/print.pdf"
