"""Real traffic between hosts of the lab takes the paths that calls of EC2 and load balancing create."""

import json
import re
import sys
import time

import pytest
from conftest import REPOSITORY, Aws, build_network, free_port, launcher, main_table, public_vpc, start
from load_balancer_support import HEALTH_PORT, LoadBalancer

from lab import namespace

# Answers with its own name and the address of its caller.
SERVER = """
import socket, socketserver, sys
class Handler(socketserver.BaseRequestHandler):
    def handle(self):
        self.request.sendall(f"{socket.gethostname()} {self.client_address[0]}".encode())
class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
Server(("", int(sys.argv[1])), Handler).serve_forever()
"""
CLIENT = """
import socket, sys
with socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=float(sys.argv[3])) as connection:
    print(connection.recv(200).decode())
"""
UDP_SERVER = """
import socket, sys
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
    server.bind(("", int(sys.argv[1])))
    while True:
        data, peer = server.recvfrom(2000)
        server.sendto(data.upper(), peer)
"""
UDP_CLIENT = """
import socket, sys
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
    client.settimeout(float(sys.argv[3]))
    client.sendto(b"hello", (sys.argv[1], int(sys.argv[2])))
    print(client.recv(2000).decode())
"""
PRESIGN = """
import boto3, sys
s3 = boto3.client("s3")
method, key = sys.argv[1:3]
print(s3.generate_presigned_url(method, Params={"Bucket": "payload", "Key": key}, ExpiresIn=60))
"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """An embedded AWS with real hosts."""
    if not namespace.is_inside():
        pytest.fail("lab tests: must run inside the lab's namespaces, run: python -m lab.namespace python -m pytest")
    folder = tmp_path_factory.mktemp("aws-with-hosts")
    port = free_port()
    command = [sys.executable, "-m", "lab.aws", "--port", str(port), "--state-dir", str(folder / "state")]
    process = start([*command, "--work-dir", str(folder / "hosts")], port, folder / "aws.log")
    made = Aws(port, folder)
    document = {
        "schemaVersion": "2.2",
        "parameters": {"line": {"type": "String"}},
        "mainSteps": [{"action": "aws:runShellScript", "name": "step", "inputs": {"runCommand": ["{{ line }}"]}}],
    }
    made.client("ssm").create_document(Name="line", Content=json.dumps(document), DocumentType="Command")
    yield made
    process.terminate()
    process.wait(timeout=300)


@pytest.fixture(scope="module")
def lab_network(lab):
    return build_network(lab)


@pytest.fixture(scope="module")
def run(lab):
    """Runs a line of shell on a host through Run Command; returns its status and its output."""
    ssm = lab.client("ssm")

    def on_host(instance_id, line):
        sent = ssm.send_command(InstanceIds=[instance_id], DocumentName="line", Parameters={"line": [line]})
        command = {"CommandId": sent["Command"]["CommandId"], "InstanceId": instance_id}
        while (found := ssm.get_command_invocation(**command))["Status"] in ("Pending", "InProgress"):
            time.sleep(0.05)
        assert found["Status"] == "Success" or found["StandardErrorContent"], found
        return found["Status"], found["StandardOutputContent"].strip() or found["StandardErrorContent"].strip()

    return on_host


@pytest.fixture(scope="module")
def hosts(lab, lab_network, run, wait_until):
    """Launches hosts that are ready for commands; with `port`, a server listens on that port."""
    ec2, ssm = lab.client("ec2"), lab.client("ssm")
    with launcher(lab, lab_network) as launch:

        def ready(port=None, udp_port=None, **more):
            instance = launch("c5.xlarge", **more)
            wanted = [{"Key": "InstanceIds", "Values": [instance["InstanceId"]]}]
            is_online = lambda: ssm.describe_instance_information(Filters=wanted)["InstanceInformationList"]  # noqa: E731
            assert wait_until(is_online)
            for number, program in ((port, SERVER), (HEALTH_PORT if port else None, SERVER), (udp_port, UDP_SERVER)):
                if number:
                    file = f"/tmp/{number}.py"
                    line = f"cat >{file} <<'EOF'{program}EOF\nsetsid python3 {file} {number} >/dev/null 2>&1 &"
                    assert run(instance["InstanceId"], line)[0] == "Success"
            if port:
                line = f"for i in $(seq 1000); do ss -Hltn sport = :{port} | grep -q . && exit; sleep 0.1; done; exit 1"
                assert run(instance["InstanceId"], line)[0] == "Success"
            found = ec2.describe_instances(InstanceIds=[instance["InstanceId"]])
            return found["Reservations"][0]["Instances"][0]

        yield ready


def ask(run, client, address, port, program=CLIENT, seconds=60):
    return run(client["InstanceId"], f"python3 - {address} {port} {seconds} <<'EOF'{program}EOF")


def is_out_of_reach(run, client, address, port):
    return ask(run, client, address, port, seconds=2)[0] == "Failed"


def test_traffic_passes_a_load_balancer_from_its_listener_s_creation_to_its_deletion(
    lab, lab_network, hosts, run, wait_until
):
    ec2 = lab.client("ec2")
    one = LoadBalancer(lab, lab_network)
    group = one.new_group("behind")
    client, server = hosts(), hosts(port=5201, udp_port=5202, groups=[group])
    one.admit(one.group, address=f"{client['PrivateIpAddress']}/32")
    assert wait_until(lambda: one.state() == "active")
    address = one.interfaces()[0]["PrivateIpAddress"]
    tcp, both = one.target_group(5201), one.target_group(5202, "TCP_UDP")
    for target_group in (tcp, both):
        one.register(target_group, server["InstanceId"])
    one.listener(tcp, 5201)
    one.listener(both, 5202, "TCP_UDP")
    assert wait_until(lambda: one.health(tcp)["State"] == "unhealthy")  # its group does not admit the checks yet
    assert is_out_of_reach(run, client, address, 5201)
    one.admit(group, source_group=one.group)
    assert wait_until(lambda: one.health(tcp)["State"] == one.health(both)["State"] == "healthy")
    assert ask(run, client, address, 5201) == ("Success", f"{server['InstanceId']} {address}")
    assert ask(run, client, address, 5202, UDP_CLIENT) == ("Success", "HELLO")
    one.ec2.revoke_security_group_ingress(
        GroupId=one.group,
        IpPermissions=[{"IpProtocol": "-1", "IpRanges": [{"CidrIp": f"{client['PrivateIpAddress']}/32"}]}],
    )
    assert is_out_of_reach(run, client, address, 5201)
    one.delete()
    for target_group in (tcp, both):
        one.elb.delete_target_group(TargetGroupArn=target_group)
    ec2.terminate_instances(InstanceIds=[client["InstanceId"], server["InstanceId"]])
    assert wait_until(lambda: not one.interfaces())

    def left():
        found = json.loads(lab.control("GET", "resources"))
        return [found[kind] for kind in ("instances", "loadBalancers", "targetGroups", "loadBalancerInterfaces")]

    assert wait_until(lambda: left() == [[], [], [], []])
    ec2.revoke_security_group_ingress(
        GroupId=group, IpPermissions=[{"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": one.group}]}]
    )
    for made in (group, one.group):
        ec2.delete_security_group(GroupId=made)


def test_traffic_by_public_addresses_needs_a_rule_for_the_peer_s_address(lab, hosts, run):
    ec2 = lab.client("ec2")
    client, server = hosts(), hosts(port=5201)
    group = server["SecurityGroups"][0]["GroupId"]
    address = server["PublicIpAddress"]
    assert ask(run, client, server["PrivateIpAddress"], 5201)[0] == "Success"
    assert is_out_of_reach(run, client, address, 5201)
    source = f"{client['PublicIpAddress']}/32"
    rule = {"IpProtocol": "tcp", "FromPort": 0, "ToPort": 65535, "IpRanges": [{"CidrIp": source}]}
    ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=[rule])
    reached = ask(run, client, address, 5201)
    ec2.revoke_security_group_ingress(GroupId=group, IpPermissions=[rule])
    assert reached == ("Success", f"{server['InstanceId']} {client['PublicIpAddress']}")


def test_traffic_reaches_a_peered_vpc_while_both_sides_have_a_route(lab, lab_network, hosts, run):
    ec2 = lab.client("ec2")
    vpc = public_vpc(ec2, "10.10.0.0/16")
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.10.0.0/24", AvailabilityZone="us-east-1a")["Subnet"]["SubnetId"]
    group = ec2.create_security_group(GroupName="peered", Description="d", VpcId=vpc)["GroupId"]
    rule = {"IpProtocol": "-1", "IpRanges": [{"CidrIp": "10.9.0.0/16"}]}
    ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=[rule])
    client = hosts()
    server = hosts(port=5201, interface={"SubnetId": subnet, "Groups": [group]})
    address = server["PrivateIpAddress"]
    assert address.startswith("10.10.0.")
    assert is_out_of_reach(run, client, address, 5201)
    made = ec2.create_vpc_peering_connection(VpcId=lab_network["vpc"], PeerVpcId=vpc)["VpcPeeringConnection"]
    peering = made["VpcPeeringConnectionId"]
    ec2.accept_vpc_peering_connection(VpcPeeringConnectionId=peering)
    for own, cidr in ((lab_network["vpc"], "10.10.0.0/16"), (vpc, "10.9.0.0/16")):
        route = {"RouteTableId": main_table(ec2, own), "DestinationCidrBlock": cidr}
        ec2.create_route(**route, VpcPeeringConnectionId=peering)
    assert ask(run, client, address, 5201) == ("Success", f"{server['InstanceId']} {client['PrivateIpAddress']}")
    ec2.delete_vpc_peering_connection(VpcPeeringConnectionId=peering)
    assert is_out_of_reach(run, client, address, 5201)


def test_private_hosts_of_the_user_s_vpcs_reach_each_other_by_the_user_s_own_routes_only(lab, hosts, run):
    ec2 = lab.client("ec2")
    account = json.loads((REPOSITORY / "lab" / "user-account.json").read_text())
    image = account["images"][0]["imageId"]
    group_ids = {
        vpc["vpcId"]: ec2.create_security_group(GroupName="p", Description="d", VpcId=vpc["vpcId"])["GroupId"]
        for vpc in account["vpcs"]
    }
    interfaces = [
        {"SubnetId": vpc["subnets"][0]["subnetId"], "Groups": [group_id], "AssociatePublicIpAddress": False}
        for vpc, group_id in zip(account["vpcs"], group_ids.values(), strict=True)
    ]
    near, far, cut_off = (hosts(port=5201, ImageId=image, interface=interface) for interface in interfaces)
    # Groups without rules admit nothing.
    assert is_out_of_reach(run, near, far["PrivateIpAddress"], 5201)
    everyone = [{"CidrIp": f"{host['PrivateIpAddress']}/32"} for host in (near, far, cut_off)]
    for group_id in group_ids.values():
        ec2.authorize_security_group_ingress(
            GroupId=group_id, IpPermissions=[{"IpProtocol": "-1", "IpRanges": everyone}]
        )

    for client, server in ((near, far), (far, near)):
        reached = ask(run, client, server["PrivateIpAddress"], 5201)
        assert reached == ("Success", f"{server['InstanceId']} {client['PrivateIpAddress']}")
    for client, server in ((near, cut_off), (cut_off, near), (far, cut_off)):
        assert is_out_of_reach(run, client, server["PrivateIpAddress"], 5201)

    def trace(server):
        return run(near["InstanceId"], f"timeout 200 tracepath -n -m 6 {server['PrivateIpAddress']} || true")[1]

    assert re.search(r"10\.81\.1\.\d+ .*reached", trace(far))
    # Without a route, packets vanish silently behind the last hop that answers.
    lost = trace(cut_off)
    assert "reached" not in lost
    assert re.search(r"^ 1: +169\.254\.", lost, re.MULTILINE)
    assert re.search(r"^ 6: +no reply", lost, re.MULTILINE)


def test_a_private_host_has_the_tools_if_its_image_has_them_and_reaches_s3_by_the_endpoint(lab, hosts, run):
    ec2 = lab.client("ec2")
    account = json.loads((REPOSITORY / "lab" / "user-account.json").read_text())
    applications, (with_tools, without_tools, _) = account["vpcs"][0], account["images"]
    group = ec2.create_security_group(GroupName="q", Description="d", VpcId=applications["vpcId"])["GroupId"]
    interface = {"SubnetId": applications["subnets"][0]["subnetId"], "Groups": [group]}
    for image, status in ((with_tools, "Success"), (without_tools, "Failed")):
        private = {"interface": interface | {"AssociatePublicIpAddress": False}, "ImageId": image["imageId"]}
        host = hosts(**private)
        assert run(host["InstanceId"], "command -v iperf3 || { echo none >&2; exit 1; }")[0] == status
        reached = run(host["InstanceId"], "curl -s -o /dev/null -w '%{http_code}' $AWS_ENDPOINT_URL_S3")
        assert reached == ("Success", "200")


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_host_reaches_s3_by_urls_that_it_signs_itself(lab, hosts, run, scheme):
    s3 = lab.client("s3")
    s3.create_bucket(Bucket="payload")
    s3.put_object(Bucket="payload", Key="random", Body=b"0123456789" * 1000)
    host = hosts()["InstanceId"]

    def curl(method, key, more):
        sign = f"url=$(python3 - {method} {key} <<'EOF'{PRESIGN}EOF\n)"
        return run(host, f'{sign}\nhead -c 5000 /dev/zero >/tmp/body\ncurl -sSf {more} "{scheme}:${{url#http*:}}"')

    assert curl("get_object", "random", "-r 10-19") == ("Success", "0123456789")
    assert "error: 404" in curl("get_object", "nobody", "")[1]
    status, text = curl("put_object", f"uploaded-{scheme}", "-T /tmp/body")
    assert status == "Success", text
    assert s3.get_object(Bucket="payload", Key=f"uploaded-{scheme}")["Body"].read() == bytes(5000)
