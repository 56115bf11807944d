"""`npm run prices`: the real AWS CLI asks for the Price List API's pages, and forecasts have the prices afterwards.

The answers have the form of GetProducts: a product is JSON in a string, with attributes and terms as AWS lists them.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

REPOSITORY = Path(__file__).parents[2]
REGION = "eu-south-1"
TABLE = "domain/forecast/prices/instance-prices.json"


def product(instance_type: str, usd: str | None, unit: str = "Hrs", **attributes: str) -> str:
    sku = f"{abs(hash((instance_type, usd, unit))):016X}"[:16]
    term, dimension = f"{sku}.JRTCKXETXF", f"{sku}.JRTCKXETXF.6YS6EN2CT7"
    on_demand = {
        "priceDimensions": {
            dimension: {
                "unit": unit,
                "endRange": "Inf",
                "description": f"${usd} per On Demand Linux {instance_type} Instance Hour",
                "appliesTo": [],
                "rateCode": dimension,
                "beginRange": "0",
                "pricePerUnit": {"CNY": "1.0"} if usd is None else {"USD": usd},
            }
        },
        "sku": sku,
        "effectiveDate": "2026-11-01T00:00:00Z",
        "offerTermCode": "JRTCKXETXF",
        "termAttributes": {},
    }
    reserved = {**on_demand, "priceDimensions": {f"{sku}.R": {"unit": "Hrs", "pricePerUnit": {"USD": "0.0001"}}}}
    common = {
        "instanceType": instance_type,
        "regionCode": REGION,
        "location": "EU (Milan)",
        "locationType": "AWS Region",
        "operatingSystem": "Linux",
        "tenancy": "Shared",
        "preInstalledSw": "NA",
        "capacitystatus": "Used",
        "licenseModel": "No License required",
        "marketoption": "OnDemand",
        "operation": "RunInstances",
        "usagetype": f"EUS1-BoxUsage:{instance_type}",
        "servicecode": "AmazonEC2",
    }
    return json.dumps(
        {
            "product": {"productFamily": "Compute Instance", "attributes": {**common, **attributes}, "sku": sku},
            "serviceCode": "AmazonEC2",
            "terms": {"OnDemand": {term: on_demand}, "Reserved": {f"{sku}.CUZHX8X6JH": reserved}},
            "version": "20261120100000",
            "publicationDate": "2026-11-20T10:00:00Z",
        }
    )


class PriceList(ThreadingHTTPServer):
    """Answers GetProducts with one page per token."""

    def __init__(self, pages: list[list[str]]) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.pages = pages
        self.requests: list[dict[str, Any]] = []


class Answer(BaseHTTPRequestHandler):
    server: PriceList

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert self.headers["X-Amz-Target"] == "AWSPriceListService.GetProducts"
        self.server.requests.append(asked)
        page = int(asked.get("NextToken", "page-0").removeprefix("page-"))
        body: dict[str, Any] = {"FormatVersion": "aws_v1", "PriceList": self.server.pages[page]}
        if page + 1 < len(self.server.pages):
            body["NextToken"] = f"page-{page + 1}"
        answer = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/x-amz-json-1.1")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        pass


class Checkout:
    """A copy of what the command and the forecast need, so that the repository's own table stays as it is."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("bin", "domain", "lambdas", "scripts"):
            shutil.copytree(REPOSITORY / name, folder / name)
        shutil.copy(REPOSITORY / "tsconfig.json", folder)
        (folder / "node_modules").symlink_to(REPOSITORY / "node_modules")

    def run(self, *arguments: str, endpoint: str = "") -> subprocess.CompletedProcess[str]:
        environment = {
            "PATH": f"{REPOSITORY / '.cache/aws-cli/bin'}:{os.environ['PATH']}",
            "HOME": str(self.folder),
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_ENDPOINT_URL_PRICING": endpoint,
            "AWS_MAX_ATTEMPTS": "1",
        }
        command = [str(REPOSITORY / "scripts/with-node.sh"), "tsx", *arguments]
        return subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=120)

    def prices(self, pages: list[list[str]]) -> tuple[subprocess.CompletedProcess[str], list[dict[str, Any]]]:
        with PriceList(pages) as server:
            Thread(target=server.serve_forever, daemon=True).start()
            url = f"http://127.0.0.1:{server.server_port}"
            done = self.run("scripts/record-prices.ts", REGION, endpoint=url)
            server.shutdown()
            return done, server.requests

    def table(self) -> dict[str, Any]:
        table: dict[str, Any] = json.loads((self.folder / TABLE).read_text())
        return table


@pytest.fixture
def checkout(tmp_path: Path) -> Iterator[Checkout]:
    yield Checkout(tmp_path)


def test_fetches_every_page_and_forecasts_by_them(checkout: Checkout) -> None:
    before = checkout.table()
    pages = [
        [product("t3.micro", "0.0120000000"), product("m5.xlarge", "0.2240000000")],
        # Listed again at the same price; a block of capacity at none; a type whose offers differ; and no type at all.
        [product("m5.xlarge", "0.2240000000"), product("m5.xlarge", "0.0000000000", marketoption="CapacityBlock")],
        [product("c5.large", "0.0960000000"), product("c5.large", "0.1010000000")],
        [product("m5.large", "0.0000000000"), product("r5.large", "31", unit="Quantity"), product("", "0.5")],
    ]
    done, requests = checkout.prices(pages)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "c5.large has no price: the list must have one above 0 USD an hour, got 0.096 and 0.101",
        "m5.large has no price: the list must have one above 0 USD an hour, got none",
        "r5.large has no price: the list must have one above 0 USD an hour, got none",
        f"2 types of {REGION}, {checkout.folder / TABLE}",
    ]
    assert [asked.get("NextToken") for asked in requests] == [None, "page-1", "page-2", "page-3"]
    assert {each["Field"]: each["Value"] for each in requests[0]["Filters"]} == {
        "regionCode": REGION,
        "operatingSystem": "Linux",
        "tenancy": "Shared",
        "preInstalledSw": "NA",
        "capacitystatus": "Used",
        "operation": "RunInstances",
    }
    after = checkout.table()
    assert after["us-east-1"] == before["us-east-1"]
    assert list(after[REGION]) == list(before["us-east-1"])
    assert after[REGION]["instanceUsdPerHour"] == {"m5.xlarge": 0.224, "t3.micro": 0.012}

    date = after[REGION]["date"]
    plan = str(REPOSITORY / "examples/plans/first-run.json")
    forecast = " ".join(checkout.run("bin/plan.ts", "--region", REGION, plan).stdout.split())
    dates = f"instances in {REGION} as of {date}, services in us-east-1 as of 2026-11-21"
    assert f"list prices: {dates}, before tax" in forecast
    other = " ".join(checkout.run("bin/plan.ts", "--region", "sa-east-1", plan).stdout.split())
    assert "services as of 2026-11-21, used because those of sa-east-1 are not recorded, before tax" in other


@pytest.mark.parametrize(
    "pages",
    [[[]], [[product("c5.large", None)]], [[product("c5.large", "0.096"), product("c5.large", "0.101")]]],
    ids=["no product", "no price in USD", "no type with one price"],
)
def test_leaves_the_table_where_an_answer_makes_none(checkout: Checkout, pages: list[list[str]]) -> None:
    before = checkout.table()
    done, _ = checkout.prices(pages)
    assert done.returncode == 1
    assert f"REGION: must be one whose instances AWS lists in USD, got {REGION}" in done.stderr
    assert checkout.table() == before


def test_says_what_the_cli_says(checkout: Checkout) -> None:
    done = checkout.run("scripts/record-prices.ts", REGION, endpoint="http://127.0.0.1:9")
    assert done.returncode == 1
    assert "Could not connect to the endpoint URL" in done.stderr


@pytest.mark.parametrize("arguments", [[], ["Frankfurt"], [REGION, "us-west-2"], ["--region"]])
def test_refuses_what_is_no_region(checkout: Checkout, arguments: list[str]) -> None:
    done = checkout.run("scripts/record-prices.ts", *arguments)
    assert done.returncode == 2
    assert f'prices: REGION: must be one Region\'s name, got "{" ".join(arguments)}"' in done.stderr
