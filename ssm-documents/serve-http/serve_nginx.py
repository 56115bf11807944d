"""Serves one object from memory with an nginx of its own, until a client requests /end.

The object is a sparse file in memory: it reads as zeros and takes no memory, however large it is. The access log goes
to standard output, with path, status, bytes sent and seconds.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile

from tool_run import end_with_parent

# nginx runs as root, like every tool here: hosts are discarded, and only the pair's other host can reach the port.
CONFIGURATION = """
user root root;
daemon off;
worker_processes auto;
worker_shutdown_timeout 2s;
pid %(directory)s/nginx.pid;
error_log stderr error;
events { worker_connections 1024; }
http {
  log_format transfer '$uri $status $bytes_sent $request_time';
  access_log /dev/stdout transfer;
  sendfile on;
  tcp_nopush on;
  keepalive_timeout 5;
  client_body_temp_path %(directory)s/body;
  proxy_temp_path %(directory)s/proxy;
  fastcgi_temp_path %(directory)s/fastcgi;
  uwsgi_temp_path %(directory)s/uwsgi;
  scgi_temp_path %(directory)s/scgi;
  server {
    listen %(port)d%(tls)s;
    root %(directory)s/site;
    location = /end { return 204; }
  }
}
"""
CERTIFICATE = """
    ssl_certificate %(directory)s/certificate.pem;
    ssl_certificate_key %(directory)s/key.pem;"""


def make_certificate(directory: str) -> None:
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj"
    files = ["-keyout", f"{directory}/key.pem", "-out", f"{directory}/certificate.pem"]
    subprocess.run([*command.split(), "/CN=network-benchmark", *files], check=True, stderr=subprocess.DEVNULL)


def make_site(directory: str, port: int, scheme: str, object_bytes: int) -> None:
    os.mkdir(f"{directory}/site")
    with open(f"{directory}/site/object", "wb") as file:
        file.truncate(object_bytes)
    tls = ""
    if scheme == "https":
        make_certificate(directory)
        tls = " ssl;" + (CERTIFICATE % {"directory": directory}).rstrip(";")
    with open(f"{directory}/nginx.conf", "w", encoding="ascii") as file:
        file.write(CONFIGURATION % {"directory": directory, "port": port, "tls": tls})


def serve(directory: str) -> int:
    subprocess.run(["nginx", "-v"], check=True)
    nginx = subprocess.Popen(
        ["nginx", "-p", directory, "-c", f"{directory}/nginx.conf", "-e", "stderr"],
        stdout=subprocess.PIPE,
        text=True,
        # It must release the port when this program is killed.
        preexec_fn=end_with_parent,
    )
    assert nginx.stdout is not None
    signal.signal(signal.SIGTERM, lambda *_: nginx.terminate())
    for line in nginx.stdout:
        print(line, end="", flush=True)
        if line.startswith("/end "):
            nginx.send_signal(signal.SIGQUIT)
    return nginx.wait()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", required=True, type=int)
    parser.add_argument("--scheme", required=True, choices=("http", "https"))
    parser.add_argument("--object-bytes", required=True, type=int)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir="/dev/shm", prefix="network-benchmark-") as directory:
        make_site(directory, arguments.port, arguments.scheme, arguments.object_bytes)
        return serve(directory)


if __name__ == "__main__":
    sys.exit(main())
