"""A Network Load Balancer as the product creates it: a security group, and a target group and listener per port."""

import itertools

NUMBERS = itertools.count(1)
HEALTH_PORT = 5200


class LoadBalancer:
    def __init__(self, aws, network, zone="us-east-1a", group=True):
        self.elb, self.ec2 = aws.client("elbv2"), aws.client("ec2")
        self.network, self.number = network, next(NUMBERS)
        self.name = f"bench-{self.number}"
        self.group = self.new_group(f"{self.name}-lb") if group else None
        self.request = {
            "Name": self.name,
            "Type": "network",
            "Scheme": "internal",
            "Subnets": [network["subnets"][zone]],
            "Tags": [{"Key": "pair", "Value": self.name}],
        } | ({"SecurityGroups": [self.group]} if group else {})
        self.made = self.elb.create_load_balancer(**self.request)["LoadBalancers"][0]
        self.arn = self.made["LoadBalancerArn"]
        self.tail = self.arn.split(":loadbalancer/")[1]
        self.key = self.tail.rsplit("/", 1)[1]

    def new_group(self, name):
        return self.ec2.create_security_group(GroupName=name, Description="d", VpcId=self.network["vpc"])["GroupId"]

    def state(self):
        found = self.elb.describe_load_balancers(LoadBalancerArns=[self.arn])["LoadBalancers"][0]
        return found["State"]["Code"]

    def interfaces(self):
        filters = [{"Name": "description", "Values": [f"ELB {self.tail}"]}]
        return self.ec2.describe_network_interfaces(Filters=filters)["NetworkInterfaces"]

    def target_group(self, port=5201, protocol="TCP", **more):
        request = {
            "Name": f"{self.name}-{port}",
            "Protocol": protocol,
            "Port": port,
            "VpcId": self.network["vpc"],
            "TargetType": "instance",
            "HealthCheckProtocol": "TCP",
            "HealthCheckPort": str(HEALTH_PORT),
            "Tags": [{"Key": "pair", "Value": self.name}],
        }
        return self.elb.create_target_group(**(request | more))["TargetGroups"][0]["TargetGroupArn"]

    def listener(self, group, port=5201, protocol="TCP", **more):
        request = {"LoadBalancerArn": self.arn, "Protocol": protocol, "Port": port}
        request["DefaultActions"] = [{"Type": "forward", "TargetGroupArn": group}]
        return self.elb.create_listener(**(request | more))["Listeners"][0]["ListenerArn"]

    def register(self, group, instance_id):
        self.elb.register_targets(TargetGroupArn=group, Targets=[{"Id": instance_id}])

    def health(self, group):
        found = self.elb.describe_target_health(TargetGroupArn=group)["TargetHealthDescriptions"]
        return found[0]["TargetHealth"] if found else None

    def admit(self, group, source_group=None, address=None):
        permission = {"IpProtocol": "-1"}
        if source_group:
            permission["UserIdGroupPairs"] = [{"GroupId": source_group}]
        else:
            permission["IpRanges"] = [{"CidrIp": address}]
        self.ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=[permission])

    def delete(self):
        self.elb.delete_load_balancer(LoadBalancerArn=self.arn)
