/** @module-tag nightly */
import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ipfsz-bench-test-'))
})

afterEach(async () => {
  await rm(directory, { recursive: true, force: true })
})

function bench (...args: string[]) {
  return spawnSync(process.execPath, [join(import.meta.dirname, '../run.ts'), ...args], { encoding: 'utf8' })
}

describe('npm run bench', () => {
  it.each([
    'local',
    'random',
    'network',
    'gateway'
  ])('prints one line if the corpus has no input for %s', async name => {
    await writeFile(join(directory, 'empty.txt'), '')

    const { status, stderr } = bench(name, '--smoke', '--corpus', directory)

    expect(stderr.trim()).to.match(/^There is no .+: name .+$/)
    expect(status).to.equal(2)
  })

  it.each<[string, (directory: string) => string]>([
    ['a directory', directory => directory],
    ['in a missing directory', directory => join(directory, 'missing', 'result.json')],
    ['below a file', directory => join(directory, 'file', 'result.json')]
  ])('does not start if the result cannot be written: %s', async (_, path) => {
    await writeFile(join(directory, 'file'), '')

    const { status, stderr, stdout } = bench('start', '--smoke', '--json', path(directory))

    expect(stderr.trim()).to.equal(`Cannot write to ${path(directory)}`)
    expect(stdout).to.equal('')
    expect(status).to.equal(2)
  })

  it('refuses a FIFO without a reader at once', () => {
    const fifo = join(directory, 'fifo')
    spawnSync('mkfifo', [fifo])

    expect(bench('start', '--smoke', '--json', fifo).stderr.trim()).to.equal(`Cannot write to ${fifo}`)
  })

  it.each<[string, (directory: string) => string]>([
    ['a file', directory => join(directory, 'file')],
    ['below a file', directory => join(directory, 'file', 'results')],
    ['an empty name', () => '']
  ])('does not start if the directory of the results cannot be written: %s', async (_, path) => {
    await writeFile(join(directory, 'file'), '')

    const { status, stderr, stdout } = bench('start', '--smoke', '--json-dir', path(directory))

    expect(stderr.trim()).to.equal(`Cannot write into ${path(directory) || 'a directory without a name'}`)
    expect(stdout).to.equal('')
    expect(status).to.equal(2)
  })

  it('refuses a stored result that is not valid JSON, and names its file', async () => {
    const file = join(directory, 'local.json')
    await writeFile(file, '{ "name": "lo')

    for (const name of ['report', 'all']) {
      const { status, stderr } = bench(name, '--json-dir', directory, '--corpus', directory)

      expect(stderr.trim()).to.equal(`${file} is not a result of a benchmark: delete it, and measure again`)
      expect(status).to.equal(2)
    }
  })

  it('prints one line if the file is too small for random reads', async () => {
    await writeFile(join(directory, 'small'), Buffer.alloc(4096))

    const { status, stderr } = bench('random', '--smoke', '--file', join(directory, 'small'))

    expect(stderr.trim()).to.match(/^There is no room for 4096 bytes/)
    expect(status).to.equal(2)
  })

  it('measures random reads of a file whose .zst is a single block', async () => {
    await writeFile(join(directory, 'zeros'), Buffer.alloc(100_000))

    const { status, stdout } = bench('random', '--smoke', '--file', join(directory, 'zeros'))

    expect(stdout).to.include('ipfsz, frames of 4096 KiB').and.not.include('a whole-file .zst')
    expect(status).to.equal(0)
  })

  it('prints one line if there are no results to report', async () => {
    const { status, stderr } = bench('report', '--json-dir', join(directory, 'results'))

    expect(stderr.trim()).to.match(/^No results of full runs in .+\. Measure them with npm run bench -- all$/)
    expect(status).to.equal(2)
    expect(await readdir(directory)).to.deep.equal([])
  })

  it('lists the benchmarks if the name is unknown', () => {
    const { status, stderr } = bench('speed')

    expect(stderr.trim()).to.match(/^Name one benchmark \(folder, .+, versions\), all or report$/)
    expect(status).to.equal(2)
  })
})
