/**
 * Everything that reads the text of a tool: each function of a tool's folder that is named `parse…`, the one that
 * chooses among them, and each tool's reading of the lines that its hosts sent. A new one is found by its name.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RawLine } from '../../domain/model/raw-chunk';
import { parseToolOutput } from '../../domain/tools/parse-tool-output';
import { ToolOutputError } from '../../domain/parsers/tool-output';
import { TOOL_MODULES } from '../../domain/tools/catalogue';
import { fixturePath } from './fixtures';
import { chunkHeader } from './raw-streams';

const TOOLS = join(__dirname, '../../domain/tools');
const PARSERS = join(__dirname, '../../domain/parsers');

export interface TextReader {
  readonly name: string;
  /** The files and folders with its patterns. */
  readonly sources: readonly string[];
  /** Real output of its tool. */
  readonly recordings: readonly string[];
  readonly read: (text: string) => unknown;
  /** The shortest recording that is complete, so that what follows it is read to its end; empty where none is. */
  readonly preamble: string;
}

type Reader = Omit<TextReader, 'preamble'>;

export async function textReaders(): Promise<TextReader[]> {
  const folders = readdirSync(TOOLS, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  // What measures with another program's tool has no recordings and no parser of its own.
  const names = folders.map(({ name }) => name).filter((name) => !(name in PROGRAMS));
  const ofFolders = await Promise.all(names.map(parsersIn));
  const chooser = {
    name: 'parseToolOutput',
    sources: [TOOLS, PARSERS],
    recordings: names.flatMap(recordingsOf),
    read: parseToolOutput,
  };
  return [...ofFolders.flat(), ...hostReaders(names), chooser].map((reader) => ({
    ...reader,
    preamble: preambleOf(reader),
  }));
}

function preambleOf({ recordings, read }: Reader): string {
  const shortestFirst = [...recordings].sort((left, right) => left.length - right.length);
  return shortestFirst.find((text) => isCompletelyRead(read, text)) ?? '';
}

function isCompletelyRead(read: Reader['read'], text: string): boolean {
  try {
    return JSON.stringify({ read: read(text) }).includes('"complete":true');
  } catch (thrown) {
    if (thrown instanceof ToolOutputError) return false;
    throw thrown;
  }
}

async function parsersIn(folder: string): Promise<Reader[]> {
  const source = join(TOOLS, folder);
  const modules = await Promise.all(
    readdirSync(source).map((file) => import(join(source, file)) as Promise<Record<string, unknown>>),
  );
  return modules
    .flatMap((module) => Object.entries(module))
    .filter((entry): entry is [string, (text: string, context: object) => unknown] => /^parse[A-Z]/.test(entry[0]))
    .map(([name, parse]) => ({
      name,
      sources: [source],
      recordings: recordingsOf(folder),
      read: (text) => parse(text, {}),
    }));
}

/** Tools whose parser is named after another program: they measure with curl. */
const PROGRAMS: Readonly<Record<string, string>> = { http: 'curl', s3: 'curl' };

/** @returns the folder of `test/fixtures/tool-output` that has what a tool prints */
export function recordingFolder(tool: string): string {
  return PROGRAMS[tool] ?? tool;
}

function hostReaders(folders: readonly string[]): Reader[] {
  return TOOL_MODULES.map((module) => {
    const folder = recordingFolder(module.name);
    if (!folders.includes(folder)) throw new Error(`${module.name}: must have a folder in domain/tools, has none`);
    return {
      name: `${module.name}, from its hosts`,
      sources: [join(TOOLS, folder)],
      recordings: recordingsOf(folder),
      read: (text) => {
        const lines = text.split('\n').map((line, index): RawLine => ({ time: 1e9 + index, source: 'stdout', line }));
        const header = chunkHeader({ tool: module.name, command: [module.name], startedAtSeconds: 1e9 });
        const stream = { header, lines };
        const printed = module.printedSeries?.(header, lines);
        return { printed, assembled: module.assemble({ client: stream, server: stream }, { durationSeconds: 10 }) };
      },
    };
  });
}

function recordingsOf(folder: string): string[] {
  const root = fixturePath(`tool-output/${folder}`);
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.md'))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .filter((text) => text !== '');
}

/** The processor time of one reading; a text that is refused counts as read. */
export function processorMilliseconds(read: TextReader['read'], text: string): number {
  const before = process.cpuUsage();
  try {
    read(text);
  } catch (thrown) {
    if (!(thrown instanceof ToolOutputError)) throw thrown;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
