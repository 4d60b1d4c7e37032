import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const file = join(process.env.DATA_DIR, 'user.json');

// Not node:readline: it also ends a line at a lone carriage return and at U+2028, and a password may hold them.
let rest = '';
process.stdin.setEncoding('utf8');
for await (const text of process.stdin) {
  const lines = (rest + text).split('\n');
  rest = lines.pop();
  for (const line of lines) answer(line);
}

function answer(line) {
  const tab = line.indexOf('\t');
  const id = Number(line.slice(0, tab));
  const password = line.slice(tab + 1);

  const start = process.hrtime.bigint();
  const hash = hashFor(id, password);
  const nanoseconds = process.hrtime.bigint() - start;
  process.stdout.write(`${nanoseconds}\t${hash ?? 'absent'}\n`);
}

function hashFor(id, password) {
  const users = JSON.parse(readFileSync(file, 'utf8'));
  if (!users.some((user) => user.id === id)) return undefined;
  return createHash('sha512').update(password).digest('hex');
}
