#!/usr/bin/env bash
# Writes the script of the pages, with the libraries that it uses, to standard output. The page's script element would
# end at `</script`, which esbuild escapes. The targets are what browsers of the last three years run.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
licences='// uPlot 1.6.32, MIT License, Copyright (c) 2022 Leon Sorokin, https://github.com/leeoniya/uPlot
// sortable-tablesort 4.1.7, Unlicense (public domain), Jonas Earendel, https://github.com/tofsjonas/sortable'
exec "$root/node_modules/.bin/esbuild" "$root/browser/report/main.ts" \
  --bundle --format=iife --minify --target=chrome110,firefox110,safari16 --loader:.css=text \
  --charset=ascii --legal-comments=none --banner:js="$licences" --log-level=error
