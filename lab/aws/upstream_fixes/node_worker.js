// Runs one Node handler for the lab's Lambda. The first line on stdin names the module; each further line is an
// invocation, answered by one line on stdout. The handler's own output goes to stderr, which is the function's log.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const readline = require('node:readline');
const { pathToFileURL } = require('node:url');

const write = process.stdout.write.bind(process.stdout);
const answer = (message) => write(JSON.stringify(message) + '\n');
process.stdout.write = process.stderr.write.bind(process.stderr);

async function loadHandler(init) {
  Object.assign(process.env, init.env ?? {});
  process.env.LAMBDA_TASK_ROOT = init.code_dir;
  process.env.AWS_LAMBDA_FUNCTION_NAME = init.function_name;
  process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE = String(init.memory);
  const base = path.resolve(init.code_dir, init.module);
  const file = ['.mjs', '.cjs', '.js'].map((extension) => base + extension).find((name) => fs.existsSync(name));
  if (file === undefined) throw new Error(`Cannot find module '${init.module}'`);
  const loaded = await import(pathToFileURL(file).href);
  const handler = loaded[init.handler] ?? loaded.default?.[init.handler];
  if (typeof handler !== 'function') throw new Error(`${init.module}.${init.handler} is undefined or not exported`);
  return handler;
}

function thrown(error) {
  const isError = error instanceof Error;
  return {
    errorType: isError ? error.name : typeof error,
    errorMessage: isError ? error.message : String(error),
    trace: isError && error.stack ? error.stack.split('\n') : [],
  };
}

function contextOf({ request_id, invoked_function_arn, timeout_ms }) {
  const deadline = Date.now() + timeout_ms;
  return {
    functionName: process.env.AWS_LAMBDA_FUNCTION_NAME,
    functionVersion: '$LATEST',
    memoryLimitInMB: process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
    invokedFunctionArn: invoked_function_arn,
    awsRequestId: request_id,
    logGroupName: process.env.AWS_LAMBDA_LOG_GROUP_NAME ?? '',
    logStreamName: process.env.AWS_LAMBDA_LOG_STREAM_NAME ?? '',
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  };
}

let handler;

async function take(line) {
  const message = JSON.parse(line);
  if (handler === undefined) {
    try {
      handler = await loadHandler(message);
      answer({ status: 'ready', cold: true });
    } catch (error) {
      answer({ status: 'error', error: thrown(error).errorMessage });
    }
    return;
  }
  // The SDK sends this trace id with every request of the invocation.
  process.env._X_AMZN_TRACE_ID = message.ctx.trace_id ?? '';
  try {
    const result = await handler(message.event, contextOf(message.ctx));
    answer({ status: 'ok', result: { labReturned: result === undefined ? null : result } });
  } catch (error) {
    answer({ status: 'ok', result: { labThrown: thrown(error) } });
  }
}

let last = Promise.resolve();
readline
  .createInterface({ input: process.stdin, terminal: false })
  .on('line', (line) => {
    last = last.then(() => take(line));
  })
  // The lab has ended. Without this, connections that the handler keeps alive would keep the process running.
  .on('close', () => process.exit(0));
