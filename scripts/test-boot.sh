#!/usr/bin/env bash
# A measuring host from its first boot on: a real systemd runs a real cloud-init, which runs the user data. Needs root,
# because only root may make such a root file system; asks sudo for it where the caller is not root.
# The first arguments may be those of make_host_root.py: npm run test:boot -- --suite=noble
# Further arguments go to pytest: npm run test:boot -- -k 'a part of the name'
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/use-node.sh
scripts/setup.sh boot
as_root=()
if ((EUID != 0)); then
  if ! sudo -n true; then
    echo 'test:boot: must run as root or as a user whom sudo asks for no password; run: sudo npm run test:boot' >&2
    exit 1
  fi
  as_root=(sudo -n env "PATH=$PATH")
fi
root_arguments=()
while [[ ${1:-} =~ ^--(suite|archive|keyring)= ]]; do
  root_arguments+=("$1")
  shift
done
root=$("${as_root[@]}" .cache/venv/bin/python test/boot/make_host_root.py "${root_arguments[@]}")
# The namespaces have no route to the outside: whatever the user data needs is in them.
exec "${as_root[@]}" env NETWORK_BENCHMARK_HOST_ROOT="$root" PYTHONDONTWRITEBYTECODE=1 \
  .cache/venv/bin/python -m lab.namespace .cache/venv/bin/python -m pytest -p no:cacheprovider -o testpaths=test/boot "$@"
