"""The defects that the campaign must object to, over all layers of the product, one at a time."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Patch:
    """A text that stands once in a source, and what replaces it."""

    file: str
    old: str
    new: str


@dataclass(frozen=True)
class Defect:
    name: str
    layer: str
    patches: tuple[Patch, ...]
    objection: str
    """A pattern that one of the broken invariants must match."""
    kinds: tuple[str, ...] = ("nothing happens/a pair",)
    """The faults whose runs are made: a kind, and after a slash words that it must have."""
    look_seconds: float = 3
    """How long after the runs the campaign looks; the sweeper comes once a minute."""


def _defect(
    name: str, layer: str, file: str, old: str, new: str, objection: str, *kinds: str, look: float = 3
) -> Defect:
    patches = (Patch(file, old, new),)
    return Defect(name, layer, patches, objection, kinds or Defect.kinds, look)


STOPPED, STOPPED_PAIR, THROTTLED, CUT, TWO = (
    "execution stopped/run is/measuring",
    "execution stopped/pair is/measuring",
    "credits are spent",
    "path cut",
    "nothing happens/two pairs",
)
PUBLIC, UNEQUAL, EXPECTING = "API throttled/SecurityGroup", "bare metal slow/client", "expectation not met"
REAPER, JUDGE = "lambdas/reap-run/reap-run.ts", "domain/verdict/judge.ts"
SUMMARISE, WRITER = "lambdas/summarise-run/summarise-run.ts", "lambdas/result-store/writer.ts"

DEFECTS: tuple[Defect, ...] = (
    _defect(
        "the reaper ends one host of two",
        "removal",
        REAPER,
        "const found = await findPairResources(deps, scope, failures);",
        "const all = await findPairResources(deps, scope, failures); "
        "const found = { ...all, hosts: all.hosts.slice(0, 1) };",
        "must be ended together",
        # Of a stopped run, the looks at the run and at its pair end a host each, at the same moment.
        STOPPED_PAIR,
        look=30,
    ),
    _defect(
        "every sample is doubled",
        "analysis",
        "domain/assembly/throughput-samples.ts",
        "throughputBitsPerSecond: bitsPerSecond,\n    retransmits",
        "throughputBitsPerSecond: 2 * bitsPerSecond,\n    retransmits",
        "must have the throughput that the server printed",
    ),
    _defect(
        "the last chunk counts twice",
        "store",
        "lambdas/result-store/raw-stream.ts",
        "for (const line of chunk.lines) lines.push(line);",
        "const isLast = sequence === stored.length - 1;\n"
        "for (const line of isLast ? [...chunk.lines, ...chunk.lines] : chunk.lines) lines.push(line);",
        "must have no warning",
    ),
    _defect(
        "every verdict is a drop by credits",
        "verdict",
        JUDGE,
        "    kind,\n    cause: diagnosis.cause,",
        "    kind: 'drop',\n    cause: 'network_credits',",
        "must have no drop of network_credits|verdict_kind",
    ),
    _defect(
        "a host costs nothing",
        "price",
        "domain/forecast/pair-life-cost.ts",
        "const known = hosts.map(",
        "const known = hosts.slice(1).map(",
        "USD for its hosts",
    ),
    _defect(
        "live rates are halved",
        "ingestion",
        "lambdas/ingest-chunk/ingest-chunk.ts",
        "const samples = sampleLines(header, lines);",
        "const samples = sampleLines(header, lines).map((one) => ({ ...one, "
        "throughputBitsPerSecond: one.throughputBitsPerSecond && one.throughputBitsPerSecond / 2 }));",
        "must have the same live rows",
    ),
    _defect(
        "client and server have each other's type",
        "launch",
        "lambdas/launch-pair/launch-host.ts",
        "role === 'client' ? pair.clientType : pair.serverType",
        "role === 'server' ? pair.clientType : pair.serverType",
        "must be of type",
        UNEQUAL,
    ),
    _defect(
        "teardown leaves a security group",
        "removal",
        "lambdas/disconnect-pair/disconnect-pair.ts",
        "await removeDataPath(path, failures)",
        "await removeDataPath(path.filter(({ name }) => !name.startsWith('security group')), failures)",
        "still (there|were)",
        PUBLIC,
    ),
    _defect(
        "the sweeper takes another stack's host",
        "removal",
        "lambdas/sweep-orphans/sweep-orphans.ts",
        "{ [ResourceTag.stack]: deps.stackName }",
        "{ [ResourceTag.pairId]: 'p0001' }",
        "is somebody else's",
        look=70,
    ),
    _defect(
        "prices are another Region's",
        "price",
        "domain/forecast/price-pair.ts",
        "(prices.instanceUsdPerHour[type] ?? null)",
        "(prices.instanceUsdPerHour[type] ?? 0) * 1.15",
        "USD an hour",
    ),
    _defect(
        "the onset is a minute late",
        "verdict",
        JUDGE,
        "const onset = shape.throttle?.onset ?? null;\n  const throttledBy",
        "const onset = shape.throttle ? mapInterval(shape.throttle.onset, (at) => at + 60) : null;\n"
        "  const throttledBy",
        "must have onset_seconds|beside an onset",
        THROTTLED,
    ),
    _defect(
        "the server's allowance counters are missing",
        "analysis",
        "domain/tools/iperf3/streams.ts",
        "return counterSamples(stream.lines, hostRole, { direction, originSeconds, fromSeconds: 0, toSeconds });",
        "return counterSamples(stream.lines, hostRole, { direction, originSeconds, fromSeconds: 0, toSeconds })"
        ".filter(({ metric }) => metric !== 'allowance' || hostRole !== 'server');",
        "must have allowance of the server",
    ),
    _defect(
        "warnings are swallowed",
        "analysis",
        "domain/analysis/measurement-result.ts",
        "    warnings: [\n      ...assembled.warnings,",
        "    warnings: [",
        "must warn of",
        CUT,
    ),
    _defect(
        "rows have another run's id",
        "tables",
        WRITER,
        "sampleRow(sample, { runId, measurementId }));\n    const { body",
        "sampleRow(sample, { runId: 'f0000', measurementId }));\n    const { body",
        "must be of",
    ),
    _defect(
        "a row of a table is there twice",
        "tables",
        WRITER,
        "encodeGzipRows([row])",
        "encodeGzipRows([row, row])",
        "measurements must have p0001-m01 once",
    ),
    _defect(
        "the summary is complete without a measurement",
        "summary",
        SUMMARISE,
        "    run,\n    results,\n    pairs,\n    endedAt",
        "    run,\n    results: results.slice(0, 1),\n    pairs,\n    endedAt",
        "the summary must have|complete measurements",
        TWO,
    ),
    _defect(
        "the report is of an earlier run",
        "report",
        SUMMARISE,
        "deps.renderReport(await reportInput(deps, ended))",
        "deps.renderReport(await reportInput(deps, ended)).replaceAll(runId, 'f0000')",
        "the report must say",
    ),
    _defect(
        "nobody salvages what was measured",
        "removal",
        REAPER,
        "await salvage(deps, ended, isLaterLook);",
        "if (isLaterLook === undefined) await salvage(deps, ended, isLaterLook);",
        "must have a summary",
        STOPPED,
        look=30,
    ),
    _defect(
        "live rows of ended measurements stay",
        "store",
        "lambdas/result-store/folding.ts",
        "await deleteObjects(parts.map(",
        "await Promise.resolve(parts.map(",
        "live_measurements must have no row",
    ),
    _defect(
        "expectations are always met",
        "expectations",
        "domain/run/expectations.ts",
        "outcome: isMet ? 'met' : 'not_met'",
        "outcome: isMet ? 'met' : 'met'",
        "expectations must be not_met",
        EXPECTING,
    ),
    _defect(
        "retransmits are dropped",
        "analysis",
        "domain/assembly/throughput-samples.ts",
        "    retransmits: total('retransmits'),",
        "    retransmits: undefined,",
        "sent_throughput that the client printed",
    ),
    _defect(
        "sent bytes are taken for bits",
        "analysis",
        "domain/assembly/counter-samples.ts",
        "sentBitsPerSecond: ['tx_bytes', 8],",
        "sentBitsPerSecond: ['tx_bytes', 1],",
        "must have sent_bits_per_second",
    ),
    _defect(
        "the 95th percentile is the greatest value",
        "analysis",
        "domain/assembly/throughput-statistics.ts",
        "[5, 50, 95, 0, 100].map",
        "[5, 50, 100, 0, 100].map",
        "must have throughput_p95_bits_per_second",
        THROTTLED,
    ),
    _defect(
        "each card has another measurement's figures",
        "report",
        SUMMARISE,
        "    results,\n    seriesOf:",
        "    results: results.map((one, at) => ({ ...one, statistics: results.toReversed()[at]!.statistics })),\n"
        "    seriesOf:",
        "the card of",
        TWO,
    ),
    _defect(
        "state transitions are free",
        "price",
        "domain/forecast/own-work.ts",
        "return (count / 1000) * prices.stepFunctionsUsdPerThousandTransitions;",
        "return 0 * count * prices.stepFunctionsUsdPerThousandTransitions;",
        "expected_step_functions_usd",
    ),
    _defect(
        "a pair's group lets everybody in",
        "launch",
        "lambdas/connect-pair/connect-pair.ts",
        "{ cidr: `${clientAddress}/32` }, {",
        "{ cidr: '0.0.0.0/0' }, {",
        "must let in single addresses",
        PUBLIC,
    ),
    _defect(
        "tags are lost",
        "launch",
        "lambdas/shared/pair-identity.ts",
        "{ ...tags, ...pairScope(pair),",
        "{ ...(tags && {}), ...pairScope(pair),",
        "must have the tags of its run",
    ),
)
