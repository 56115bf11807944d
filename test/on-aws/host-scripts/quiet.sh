#!/bin/bash
# Prints what could disturb a measurement on this host, one fact per line.
echo "scopes=$(systemctl list-units --type=scope --no-legend 'run-*' | wc -l)"
echo "snap=$(snap refresh --time | sed -n 's/^hold: *//p')"
echo "apt=$(systemctl is-active apt-daily.timer apt-daily-upgrade.timer | grep -c '^active')"
echo "deadline=$(systemctl is-active network-benchmark-deadline.timer)"
