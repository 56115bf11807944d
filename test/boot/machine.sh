#!/bin/sh
# Becomes process 1 of a host that boots: makes its root from the layers in FOLDER, and starts systemd on it. It runs in
# namespaces of its own: mount, process, control group, network, host name and IPC.
#
# usage: machine.sh LOWER FOLDER
#   LOWER    root file system; it stays as it is
#   FOLDER   disk/, work/ and root/ of this host, and the file console
set -eu

lower=$1
folder=$2

# A host's /sys: the kernel's without what identifies this machine.
make_sys() {
  mount -t tmpfs -o mode=755 tmpfs sys
  mkdir -p sys/fs/cgroup sys/hypervisor
  # Here cloud-init finds the name of EC2, as on instances of the Xen generations; namespaces have no hardware's name.
  echo ec2e1916-9099-7caf-fd21-012345abcdef >sys/hypervisor/uuid
  for part in block bus class dev devices kernel module; do
    mkdir "sys/$part"
    mount --rbind "/sys/$part" "sys/$part"
    mount -o remount,bind,ro "sys/$part"
  done
  # The host sees control groups of version 2 with its own group as the root, whatever this machine has mounted.
  mount -t cgroup2 cgroup2 sys/fs/cgroup
}

mount -t overlay overlay -o "lowerdir=$lower,upperdir=$folder/disk,workdir=$folder/work" "$folder/root"
cd "$folder/root"
mount -t proc proc proc
make_sys
mount -t tmpfs -o mode=755 tmpfs dev
for device in null zero full random urandom tty; do
  : >"dev/$device"
  mount --bind "/dev/$device" "dev/$device"
done
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts dev/pts
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
: >>"$folder/console"
: >dev/console
mount --bind "$folder/console" dev/console
mount -t tmpfs -o mode=755 tmpfs run
mkdir run/old
pivot_root . run/old
umount -l /run/old
rmdir /run/old
# The variable tells systemd that there is no hardware. Nothing of this machine's environment remains.
exec env -i container=network-benchmark PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd \
  </dev/null >>/dev/console 2>&1
