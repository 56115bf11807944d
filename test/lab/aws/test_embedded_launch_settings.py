"""The settings of a launch (addresses, placement, ENA Express, network) reach the host; impossible ones are refused."""

import ipaddress

PUBLIC = [ipaddress.ip_network(network) for network in ("203.0.113.0/24", "198.51.100.0/24")]


def ena_srd(udp):
    return {"EnaSrdSpecification": {"EnaSrdEnabled": True, "EnaSrdUdpSpecification": {"EnaSrdUdpEnabled": udp}}}


def test_every_instance_has_a_public_address_of_its_own_until_it_is_terminated(aws, launch, describe, wait_until):
    first, second = launch(), launch()
    addresses = {instance["PublicIpAddress"] for instance in (first, second)}
    assert len(addresses) == 2
    assert all(any(ipaddress.ip_address(address) in network for network in PUBLIC) for address in addresses)
    assert aws.settings(first)["public_ip"] == first["PublicIpAddress"]
    interface = describe(first["InstanceId"])["NetworkInterfaces"][0]
    assert interface["Association"]["PublicIp"] == first["PublicIpAddress"]
    aws.client("ec2").terminate_instances(InstanceIds=[first["InstanceId"]])
    assert wait_until(lambda: not describe(first["InstanceId"]).get("PublicIpAddress"))


def test_ena_express_and_its_udp_switch_reach_the_host(aws, launch, describe):
    for udp in (False, True):
        instance = launch("m6i.8xlarge", interface=ena_srd(udp))
        settings = aws.settings(instance)
        assert (settings["ena_srd_enabled"], settings["ena_srd_udp_enabled"]) == (True, udp)
        shown = describe(instance["InstanceId"])["NetworkInterfaces"][0]["Attachment"]["EnaSrdSpecification"]
        assert shown == {"EnaSrdEnabled": True, "EnaSrdUdpSpecification": {"EnaSrdUdpEnabled": udp}}
    plain = aws.settings(launch())
    assert (plain["ena_srd_enabled"], plain["ena_srd_udp_enabled"]) == (False, False)


def test_ena_express_is_refused_for_a_type_without_it(aws, launch, code_of):
    assert code_of(launch, "c5.xlarge", interface=ena_srd(False)) == "InvalidParameterCombination"
    udp_alone = {"EnaSrdSpecification": {"EnaSrdUdpSpecification": {"EnaSrdUdpEnabled": True}}}
    assert code_of(launch, "m6i.8xlarge", interface=udp_alone) == "InvalidParameterCombination"
    with_it, without = (
        aws.client("ec2").describe_instance_types(InstanceTypes=[name])["InstanceTypes"][0]["NetworkInfo"]
        for name in ("m6i.8xlarge", "c5.xlarge")
    )
    assert (with_it["EnaSrdSupported"], without["EnaSrdSupported"]) == (True, False)


def test_connection_tracking_is_refused_for_a_type_on_xen(aws, launch, code_of):
    assert code_of(launch, "m4.xlarge") == "InvalidParameterValue"
    assert launch("m4.xlarge", interface={"ConnectionTrackingSpecification": {}})["InstanceId"]
    xen, nitro = (
        aws.client("ec2").describe_instance_types(InstanceTypes=[name])["InstanceTypes"][0]["Hypervisor"]
        for name in ("m4.xlarge", "c5.xlarge")
    )
    assert (xen, nitro) == ("xen", "nitro")


def test_only_members_of_a_cluster_group_are_near_each_other(aws, network, launch, code_of):
    ec2 = aws.client("ec2")
    for strategy in ("cluster", "spread", "partition"):
        more = {"PartitionCount": 2} if strategy == "partition" else {}
        ec2.create_placement_group(GroupName=f"near-{strategy}", Strategy=strategy, **more)
        instance = launch(Placement={"GroupName": f"near-{strategy}"})
        wanted = f"near-cluster in {network['vpc']}" if strategy == "cluster" else None
        assert aws.settings(instance)["cluster_group"] == wanted
    assert aws.settings(launch())["cluster_group"] is None
    assert aws.settings(launch())["network"] == network["subnets"]["us-east-1a"]
    make = ec2.create_placement_group
    assert code_of(make, GroupName="near-cluster", Strategy="cluster") == "InvalidPlacementGroup.Duplicate"
    assert code_of(make, GroupName="p", Strategy="spread", PartitionCount=2) == "InvalidParameterValue"
    assert code_of(make, GroupName="p", Strategy="close") == "InvalidParameterValue"
    full = {"MinCount": 7, "MaxCount": 7, "Placement": {"GroupName": "near-spread"}}
    assert code_of(launch, **full) == "InstanceLimitExceeded"


def test_groups_of_another_vpc_and_too_many_groups_are_refused(aws, network, launch, code_of):
    ec2 = aws.client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.98.0.0/16")["Vpc"]["VpcId"]
    foreign = ec2.create_security_group(GroupName="foreign", Description="d", VpcId=vpc)["GroupId"]
    assert code_of(launch, groups=[foreign]) == "InvalidParameter"
    assert code_of(launch, groups=[network["group"]] * 5) == "SecurityGroupsPerInterfaceLimitExceeded"
    assert code_of(launch, groups=["sg-11111111111111111"]) == "InvalidGroup.NotFound"
    ec2.delete_security_group(GroupId=foreign)


def test_the_vcpu_quota_is_reported_and_enforced(aws, launch, code_of):
    quotas = aws.client("service-quotas")
    standard = {"ServiceCode": "ec2", "QuotaCode": "L-1216C47A"}
    assert quotas.get_service_quota(**standard)["Quota"]["Value"] == 768
    for code in ("L-DB2E81BA", "L-417A185B", "L-74FC7D96", "L-7295265B"):
        assert quotas.get_service_quota(ServiceCode="ec2", QuotaCode=code)["Quota"]["Value"] > 0
    aws.control("POST", "quotas", {"code": "L-1216C47A", "value": 1})
    try:
        assert quotas.get_service_quota(**standard)["Quota"]["Value"] == 1
        assert code_of(launch) == "VcpuLimitExceeded"
    finally:
        aws.control("DELETE", "quotas")
    assert launch()["InstanceId"]
    unknown = {"ServiceCode": "ec2", "QuotaCode": "L-00000000"}
    assert code_of(quotas.get_service_quota, **unknown) == "NoSuchResourceException"
    assert code_of(quotas.list_service_quotas, ServiceCode="ec2") == "UnknownOperationException"
    aws.control("POST", "faults", {"action": "servicequotas:GetServiceQuota", "code": "TooManyRequestsException"})
    assert code_of(quotas.get_service_quota, **standard) == "TooManyRequestsException"


def test_a_free_plan_has_only_the_eligible_types(aws, launch, code_of):
    freetier, eligible = aws.client("freetier"), [{"Name": "free-tier-eligible", "Values": ["true"]}]
    (micro,) = aws.client("ec2").describe_instance_types(Filters=eligible)["InstanceTypes"]
    assert (micro["InstanceType"], micro["FreeTierEligible"]) == ("t3.micro", True)
    assert freetier.get_account_plan_state()["accountPlanType"] == "PAID"
    try:
        aws.control("POST", "account-plan", "FREE")
        assert freetier.get_account_plan_state()["accountPlanType"] == "FREE"
        assert code_of(launch, "m5.large") == "InvalidParameterCombination"
        options = launch("t3.micro")["CpuOptions"]
        assert options == {"CoreCount": 1, "ThreadsPerCore": 2}
        aws.control("POST", "account-plan", "NONE")
        assert code_of(freetier.get_account_plan_state) == "ResourceNotFoundException"
        assert launch("m5.large")["InstanceId"]
    finally:
        aws.control("DELETE", "account-plan")
