import { execFile } from 'node:child_process'
import { platform } from 'node:process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { maxConnections } from '../src/gateway/connections.ts'

const PROGRAM = 'console.log(await (await import(process.argv[1])).maxConnections())'
const BUILT = new URL('../dist/gateway/connections.js', import.meta.url).href

it.skipIf(platform !== 'linux')('leaves half of the files that a process may open for other things', async () => {
  const { stdout } = await promisify(execFile)('sh', [
    '-c', 'ulimit -n 300; exec "$0" --input-type=module -e "$1" "$2"', process.execPath, PROGRAM, BUILT
  ])

  expect(stdout.trim()).toBe('150')
})

it('allows no more connections than a gateway by default', async () => {
  expect(await maxConnections()).toBeLessThanOrEqual(8192)
})
