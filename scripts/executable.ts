/**
 * Builds `ipfsz` as one executable for this system, which needs no Node, and uses it: `scripts/executable.ts FILE`. It
 * is a Node that can build such files itself, with all that npm installs of the command: of the pack in
 * `$IPFSZ_PACKS`, or of one that is packed now, after a build.
 */
import { createHash } from 'node:crypto'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve, sep } from 'node:path'
import { spawnSync } from 'node:child_process'
import { constants, zstdCompressSync } from 'node:zlib'
import { inEmptyProject } from './empty-project.ts'

/** `--build-sea` came with 25.5. scripts/other-runtimes.ts uses the command with the same one. */
const NODE = 'node@26.10.0'

/** The package of Node, which is around the files and not in them, and links to programs. */
const NOT_PACKED = /^node_modules\/(?:node(?:-bin-[^/]+)?|\.bin)\//

const ROOT = dirname(import.meta.dirname)
const { ZSTD_c_compressionLevel: LEVEL } = constants

/** All files of an install: a line of JSON with paths and sizes, then their bytes. */
function filesIn (directory: string): Buffer {
  const paths = globSync('{package.json,node_modules/**}', { cwd: directory })
    .filter(path => statSync(join(directory, path)).isFile())
    .map(path => path.replaceAll(sep, '/'))
    .filter(path => !NOT_PACKED.test(path))
    .toSorted()
  const contents = paths.map(path => readFileSync(join(directory, path)))
  const index = paths.map((path, i) => ({ path, size: contents[i].byteLength }))

  return Buffer.concat([Buffer.from(`${JSON.stringify(index)}\n`), ...contents])
}

function run (command: string, args: readonly string[], options: { cwd: string, env?: NodeJS.ProcessEnv }): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { ...options, encoding: 'utf8' })

  if (status !== 0) {
    throw new Error(`${command} ${args.join(' ')} ended with ${status}\n${stdout}${stderr}`, { cause: error })
  }

  return stdout
}

/** Add a file, link it, which needs an addon, and read it. The first call unpacks what the later ones run. */
function use (executable: string): void {
  const cwd = mkdtempSync(join(tmpdir(), 'ipfsz-executable-'))
  const env = { HOME: cwd, LOCALAPPDATA: cwd, IPFSZ_PATH: join(cwd, 'repo'), SystemRoot: process.env.SystemRoot }
  const text = 'the same words again and again, '.repeat(10_000)

  try {
    writeFileSync(join(cwd, 'words.txt'), text)
    const cid = run(executable, ['add', '-Q', '--link', 'words.txt'], { cwd, env }).trim()

    if (run(executable, ['cat', cid], { cwd, env }) !== text) {
      throw new Error('The executable reads other bytes than it added')
    }
  } finally {
    rmSync(cwd, { recursive: true })
  }
}

const output = resolve(process.argv[2] ?? 'ipfsz')
mkdirSync(dirname(output), { recursive: true })

await inEmptyProject([join(ROOT, 'packages/cli')], [NODE], ({ directory, run }) => {
  const files = filesIn(directory)
  const [id, packed, config] = ['id', 'files', 'sea.json'].map(name => join(directory, name))

  writeFileSync(id, createHash('sha256').update(files).digest('hex').slice(0, 16))
  writeFileSync(packed, zstdCompressSync(files, { params: { [LEVEL]: 19 } }))
  writeFileSync(config, JSON.stringify({
    main: join(import.meta.dirname, 'executable/main.cjs'),
    output,
    disableExperimentalSEAWarning: true,
    assets: { id, files: packed }
  }))
  run(join(directory, `node_modules/node/bin/node${process.platform === 'win32' ? '.exe' : ''}`), '--build-sea', config)

  if (process.platform === 'darwin') {
    // the system runs no file whose signature is that of another one
    run('codesign', '--sign', '-', '--force', output)
  }
})

use(output)
console.info(`${output}: ${(statSync(output).size / 1e6).toFixed(0)} MB`)
