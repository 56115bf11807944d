#!/bin/sh
# Creates the private root of one host of the lab, and stays as the host's process 1: killing it kills everything on the
# host. The machine's programs are read-only there; what a document writes is in memory and vanishes with the host.
#
# usage: host-init.sh ROOT TOOLS STATE HOSTNAME SYSTEM [SHARED_PATH...]    (prints its own pid as seen from outside)
#   ROOT         empty directory on which the host's root is mounted
#   TOOLS        bin/ and etc/, the same for all hosts
#   STATE        the host's interface counters, read-only
#   SYSTEM       with-tools, or plain: without the measuring tools, as if the user data had failed to install them
#   SHARED_PATH  shown to the host at the same path, read-only
set -eu

root=$1
tools=$2
state=$3
name=$4
system=$5
shift 5

# /proc still belongs to the outer namespace, so this line begins with the pid as seen from outside.
read -r pid _ </proc/self/stat

# A user namespace may forbid the remount. The host's root is then an ordinary user outside, who can't change the files.
bind_read_only() {
  mount --rbind "$1" "$2"
  mount -o remount,bind,ro "$2" 2>/dev/null || [ "$is_user_namespace" = yes ]
}

is_user_namespace=yes
read -r _ _ count </proc/self/uid_map
if [ "$count" = 4294967295 ]; then is_user_namespace=no; fi

mount --make-rprivate /
mount -t tmpfs -o mode=755 tmpfs "$root"
cd "$root"

for entry in usr bin sbin lib lib32 lib64 libx32; do
  if [ -L "/$entry" ]; then
    cp -P "/$entry" "$entry"
  elif [ -d "/$entry" ]; then
    mkdir "$entry"
    bind_read_only "/$entry" "$entry"
  fi
done
mkdir -p dev proc sys run/lock tmp root opt home mnt media srv var/tmp var/lib/network-benchmark var/lib/amazon/ssm \
  var/log/amazon/ssm var/cache var/spool .old .etc
chmod 1777 tmp var/tmp
ln -s /run var/run

# A document waits for this file of cloud-init; the lab's hosts have their tools from the beginning.
mkdir -p var/lib/cloud/instance
: >var/lib/cloud/instance/boot-finished

if [ "$system" = plain ]; then
  mkdir .usr
  bind_read_only /usr .usr
  for folder in "$tools"/plain/usr/*bin; do
    bind_read_only "$folder" "usr/${folder##*/}"
  done
  cp "$tools"/plain/user-data-failure var/lib/network-benchmark/
fi

# The host may write to its own /etc, whose directories are real and whose files are links to the machine's.
bind_read_only /etc .etc
cp -a "$tools/etc" etc
echo "$name" >etc/hostname
printf '127.0.0.1 localhost\n127.0.1.1 %s\n' "$name" >etc/hosts
: >etc/resolv.conf

for shared in "$@"; do
  mkdir -p ".$shared"
  bind_read_only "$shared" ".$shared"
done

# The lab's own tools take precedence, because /usr/local/sbin is first on the agent's PATH.
mount -t tmpfs -o mode=755 tmpfs usr/local/sbin
cp "$tools"/bin/* usr/local/sbin/
if [ "$system" = plain ]; then cp "$tools"/plain/bin/* usr/local/sbin/; fi

mount --rbind /dev dev
mount -t tmpfs -o mode=1777 tmpfs dev/shm
mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
if [ "$is_user_namespace" = no ]; then
  # Kernel settings outside net/ belong to the machine, so the host can't write them.
  mount --bind proc/sys proc/sys
  mount -o remount,bind,ro proc/sys
  mount --bind proc/sys/net proc/sys/net
  mount -o remount,bind,rw proc/sys/net
fi

mkdir run/lab
mount --bind "$state" run/lab
mount -o remount,bind,ro run/lab 2>/dev/null || [ "$is_user_namespace" = yes ]

# The kernel's counters are the machine's, so the lab writes a file with the host's.
mount --bind run/lab/stat proc/stat

hostname "$name"
pivot_root . .old
umount -l /.old
rmdir /.old

echo "$pid"
exec >&- 2>&-
# While process 1 ignores SIGCHLD, the kernel reaps orphans. A trap of the shell would not survive exec.
exec env --ignore-signal=CHLD sleep infinity
