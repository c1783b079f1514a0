import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { findChromium } from '../../test/support/chromium.ts'

const ROOT = join(import.meta.dirname, '../..')

/** The packages whose versions affect the results. */
const PACKAGES = [
  'helia',
  '@helia/unixfs',
  '@helia/bitswap',
  'libp2p',
  'blockstore-fs',
  'blockstore-level',
  'blockstore-idb',
  'datastore-fs',
  'datastore-level',
  'lz4-napi',
  'snappy'
]

/** The machine that measured. */
export function describeMachine (): string {
  const { model } = cpus()[0]

  return `${cpus().length} cores (${model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB of memory, ` +
    `${process.platform} ${process.arch}`
}

/** The versions of all compared software, by name, without tools that are not installed. */
export function versions (): Record<string, string> {
  const kubo = output('ipfs', ['version', '--number'])
  const zstd = output('zstd', ['--version'])?.match(/v(\d[\d.]*)/)?.[1]
  const nginx = output('sh', ['-c', 'nginx -v 2>&1'])?.match(/nginx\/(\d[\d.]+)/)?.[1]
  const restic = output('restic', ['version'])?.split(' ')[1]
  const chromium = output(findChromium() ?? 'chromium', ['--version'])?.match(/\d[\d.]+/)?.[0]

  return {
    node: process.versions.node,
    ipfsz: [packageVersion('packages/cli'), commit()].filter(Boolean).join(' '),
    ...Object.fromEntries(PACKAGES.map(name => [name, packageVersion(`node_modules/${name}`)])),
    ...kubo == null ? {} : { kubo },
    ...zstd == null ? {} : { 'zstd (tool)': zstd },
    ...Object.fromEntries(Object.entries({ nginx, restic, chromium }).filter(([, version]) => version != null))
  }
}

/** The commit of the project, if known. Versions change less often than commits. */
function commit (): string {
  const hash = output('git', ['-C', ROOT, 'rev-parse', '--short', 'HEAD'])
  const changed = output(
    'git',
    ['-C', ROOT, 'status', '--porcelain', '--untracked-files=no', '--', 'packages', 'bench', 'examples']
  )

  return hash == null ? '' : `(${hash}${changed === '' ? '' : ', changed'})`
}

function packageVersion (directory: string): string {
  return (JSON.parse(readFileSync(join(ROOT, directory, 'package.json'), 'utf8')) as { version: string }).version
}

/** What a program prints, if it is installed. */
function output (program: string, args: string[]): string | undefined {
  try {
    return execFileSync(program, args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, IPFS_TELEMETRY: 'off' }
    }).trim()
  } catch {
    return undefined
  }
}
