#!/usr/bin/env bash
# Writes the script of a page, `report` or `index`, with the libraries that it uses, to standard output. The page's script
# element would end at `</script`, which esbuild escapes. The targets are what browsers of the last three years run.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
page=$1
licences='// sortable-tablesort 4.1.7, Unlicense (public domain), Jonas Earendel, https://github.com/tofsjonas/sortable'
[[ $page == index ]] || licences="// uPlot 1.6.32, MIT License, Copyright (c) 2022 Leon Sorokin, https://github.com/leeoniya/uPlot
$licences"
exec "$root/node_modules/.bin/esbuild" "$root/browser/report/$page-page.ts" \
  --bundle --format=iife --minify --target=chrome110,firefox110,safari16 --loader:.css=text \
  --charset=ascii --legal-comments=none --banner:js="$licences" --log-level=error
