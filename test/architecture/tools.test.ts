/**
 * The rule on tools: only a tool's documents and its folder in `domain/tools`, and the list of the catalogue, contain the
 * tool's name. Adding a tool of an existing kind therefore changes only these files and their tests.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { DOCUMENT_NAMES } from '../../lib/measurement-documents/measurement-documents';
import { TOOL_MODULES } from '../../domain/tools/catalogue';
import { fixturePath } from '../support/fixtures';
import { recordingFolder } from '../support/text-readers';

const ROOT = join(__dirname, '../..');

/** The folders with code that runs, whether deployed or in the lab. */
const PRODUCT = ['bin', 'domain', 'lab', 'lambdas', 'lib', 'queries', 'ssm-documents'];

/** Places that may contain names of tools: of any tool, because a tool may run another one at the same time. */
const OWN_PLACES = ['domain/tools/', 'ssm-documents/measure-', 'ssm-documents/probe-', 'ssm-documents/serve-'];

const COMMENTS: Readonly<Record<string, RegExp>> = {
  '.ts': /\/\*[\s\S]*?\*\/|(?<![:'"`])\/\/.*/g,
  '.js': /\/\*[\s\S]*?\*\/|(?<![:'"`])\/\/.*/g,
  '.py': /"""[\s\S]*?"""|(?<![\w'"])#.*/g,
  '.sh': /^\s*#.*|\s# .*/gm,
  '.sql': /--.*/g,
  '.yaml': /^\s*#.*|\s# .*/gm,
};

/** Patterns for names that have another meaning too: a half of ping-pong, the scheme of a URL, a service of AWS. */
const AMBIGUOUS: Readonly<Record<string, RegExp>> = {
  ping: /(?<![A-Za-z])ping(?![a-z]|[_-]pong)/i,
  http: /\btool\b[^\n]{0,20}(['"`])http\1/,
  s3: /\btool\b[^\n]{0,20}(['"`])s3\1/,
};

/** The streamer recognises a failure by the words of the tools' error messages, and a warning explains a tool's habit. */
const ALLOWED_LINES = [/^ERROR_LINE = /, /^const REPEATED_INTERVAL = /];

interface Place {
  readonly file: string;
  readonly line: string;
}

function productFiles(): string[] {
  return PRODUCT.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  ).filter((file) => extname(file) in COMMENTS && !file.includes('__pycache__'));
}

/** The text without its comments, which may mention any tool. */
function code(file: string, text = readFileSync(join(ROOT, file), 'utf8')): string {
  return text.replace(COMMENTS[extname(file)]!, '');
}

function placesOf(tool: string, file: string, text?: string): Place[] {
  const name = AMBIGUOUS[tool] ?? new RegExp(`(?<![A-Za-z])${tool}(?![a-z])`, 'i');
  return code(file, text)
    .split('\n')
    .filter((line) => name.test(line) && !ALLOWED_LINES.some((allowed) => allowed.test(line)))
    .map((line) => ({ file, line: line.trim() }));
}

const isOwnPlace = (file: string) => OWN_PLACES.some((place) => file.startsWith(place));

const TOOLS = TOOL_MODULES.map((module) => module.name);

test.each(TOOLS)('%s is named only in the places for tools', (tool) => {
  const files = productFiles();
  expect(files.length).toBeGreaterThan(150);
  expect(files.filter((file) => !isOwnPlace(file)).flatMap((file) => placesOf(tool, file))).toEqual([]);
});

test('every tool is found in its own module, which proves that the search works', () => {
  for (const tool of TOOLS) expect(placesOf(tool, `domain/tools/${tool}/module.ts`)).not.toEqual([]);
});

test.each([
  ['iperf3', 'domain/report/x.ts', "if (result.tool === 'iperf3') return;"],
  ['iperf3', 'domain/report/x.ts', "import { clean } from '../tools/iperf3/text';"],
  ['iperf3', 'ssm-documents/prepare-host/host_facts.py', '"iperf3Version": version("iperf3"),'],
  ['sockperf', 'ssm-documents/shared/server.sh', '      iperf3 | sockperf) kill "$pid" ;;'],
  ['sockperf', 'queries/x.sql', "WHERE m.tool = 'sockperf'"],
  ['ping', 'domain/report/x.ts', 'const isPing = tool === `ping`;'],
  ['tracepath', 'lab/hosts/x.py', 'TOOLS = ["tracepath"]'],
  ['http', 'domain/report/x.ts', "tool === 'http' ? 1 : 2"],
  ['s3', 'domain/report/x.ts', "if (measurement.tool === 's3') return;"],
])('the rule forbids %s in %s: %s', (tool, file, text) => {
  expect(placesOf(tool, file, text)).toHaveLength(1);
});

test.each([
  ['iperf3', 'domain/verdict/x.ts', "/** iperf3's streams share one thread. */ const x = 1; // as iperf3 has them"],
  ['sockperf', 'ssm-documents/shared/x.sh', '# sockperf prints nothing'],
  ['ping', 'domain/model/x.ts', "const mode = 'ping_pong', other = 'ping-pong', third = 'pinging';"],
  ['http', 'domain/model/x.ts', "readonly scheme?: 'http' | 'https';"],
  ['s3', 'lib/x.ts', "import { aws_s3 as s3 } from 'aws-cdk-lib'; const action = 's3:GetObject';"],
])('the rule allows %s in %s: %s', (tool, file, text) => {
  expect(placesOf(tool, file, text)).toEqual([]);
});

test('each document that measures or serves belongs to a tool, and each tool has its own', () => {
  const ofTools = TOOL_MODULES.flatMap((tool) => [
    `measure-${tool.name}`,
    ...(tool.serve !== undefined ? [`serve-${tool.name}`] : []),
  ]);
  expect(ofTools.sort()).toEqual(DOCUMENT_NAMES.filter((name) => /^(?:measure|serve)-/.test(name)));
});

/** What a tool needs besides its code, so that somebody can plan it, read about it and change it without fear. */
const NEEDS: Readonly<Record<string, (tool: string) => boolean>> = {
  'a recorded output in test/fixtures/tool-output': (tool) => {
    const folder = fixturePath(`tool-output/${recordingFolder(tool)}`);
    return existsSync(folder) && readdirSync(folder).length > 0;
  },
  'an example plan': (tool) => textsIn('examples/plans', '.json').some((text) => text.includes(`"tool": "${tool}"`)),
  // The tests of all documents at once show nothing of what the tool does.
  'a test that runs its document': (tool) =>
    textsIn('test/ssm-documents', '.py').some((text) => new RegExp(`\\.run\\(\\s*"measure-${tool}"`).test(text)),
  'a row in docs/measurements.md': (tool) =>
    readFileSync(join(ROOT, 'docs/measurements.md'), 'utf8').includes(`\n| \`${tool}\` `),
};

function textsIn(folder: string, extension: string): string[] {
  const files = readdirSync(join(ROOT, folder)).filter((file) => file.endsWith(extension));
  return files.map((file) => readFileSync(join(ROOT, folder, file), 'utf8'));
}

const lacksOf = (tool: string) => Object.keys(NEEDS).filter((need) => NEEDS[need]?.(tool) !== true);

test.each(TOOLS)('%s has a recording, a plan, a test of its document and a row in the docs', (tool) => {
  expect(lacksOf(tool)).toEqual([]);
});

test('a tool that has none of them is found out', () => {
  expect(lacksOf('netperf')).toEqual(Object.keys(NEEDS));
});
