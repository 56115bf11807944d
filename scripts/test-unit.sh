#!/usr/bin/env bash
# Jest: everything in TypeScript. Needs the npm packages, but neither root nor the lab's tools.
# Further arguments go to Jest: npm run test:unit -- test/domain/plan -t 'a part of the name'
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/use-node.sh
exec node_modules/.bin/jest "$@"
