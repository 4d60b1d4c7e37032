const { createWriteStream } = require('node:fs')
const { stat } = require('node:fs/promises')
const readline = require('node:readline')
const { Readable } = require('node:stream')
const { pipeline } = require('node:stream/promises')

async function save (url, out) {
  const response = await fetch(url)
  if (response.status !== 200) throw new Error(`status ${response.status}`)
  await pipeline(Readable.fromWeb(response.body), createWriteStream(out))
  return (await stat(out)).size
}

async function main () {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const [url, out] = line.split('\t')
    const start = process.hrtime.bigint()
    const result = await save(url, out).catch((error) => `error: ${String(error).replace(/\s+/g, ' ')}`)
    process.stdout.write(`${process.hrtime.bigint() - start}\t${result}\n`)
  }
  // Connections that are kept would keep the process.
  process.exit(0)
}

main()
