"""The lab's Lambda runs Node handlers as AWS does, and reports their errors by name."""

import json
from concurrent.futures import ThreadPoolExecutor


def invoke(aws, outputs, **event):
    answer = aws.client("lambda").invoke(FunctionName=outputs["FunctionName"], Payload=json.dumps(event))
    return answer.get("FunctionError"), json.loads(answer["Payload"].read())


def test_a_handler_s_environment_has_endpoint_region_and_its_variables(aws, outputs):
    error, result = invoke(aws, outputs)
    assert error is None
    assert result["endpointUrl"] == aws.endpoint_url
    assert result["region"] == "us-east-1"
    assert result["hostRoleId"] == outputs["RoleId"]


def test_a_thrown_error_keeps_its_name_and_the_process_stays_warm(aws, outputs):
    _, before = invoke(aws, outputs)
    error, thrown = invoke(aws, outputs, fail="IncompleteSeriesError")
    assert error == "Unhandled"
    assert (thrown["errorType"], thrown["errorMessage"]) == ("IncompleteSeriesError", "as asked")
    _, after = invoke(aws, outputs)
    assert after["pid"] == before["pid"]
    assert after["calls"] == before["calls"] + 1


def test_a_large_result_is_returned_whole(aws, outputs):
    _, result = invoke(aws, outputs, length=1_000_000)
    assert len(result["text"]) == 1_000_000


def test_forty_invocations_at_once(aws, outputs):
    with ThreadPoolExecutor(40) as pool:
        results = list(pool.map(lambda _: invoke(aws, outputs, wait=300), range(40)))
    assert all(error is None for error, _ in results)
