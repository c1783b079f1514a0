import { spawn } from 'node:child_process'

const CEPH = 'on Debian: apt-get install ceph-mon ceph-osd radosgw'

const INSTALL: Readonly<Record<string, string>> = {
  ipfs: 'run `npm run kubo`, which builds it with Go, or install Kubo',
  'ceph-mon': CEPH,
  'ceph-osd': CEPH,
  radosgw: CEPH,
  brotli: 'on Debian: apt-get install brotli',
  curl: 'on Debian: apt-get install curl',
  java: 'on Debian: apt-get install openjdk-17-jre-headless',
  gzip: 'on Debian: apt-get install gzip',
  lz4: 'on Debian: apt-get install lz4',
  lzop: 'on Debian: apt-get install lzop',
  '/usr/bin/python3': 'on Debian: apt-get install python3-snappy, which installs it too',
  zstd: 'on Debian: apt-get install zstd'
}

/**
 * Run a program with bytes on its stdin, and return what it writes to stdout.
 *
 * @param signal - kills it when it aborts
 * @throws if the program is missing, with how to install it, or if it fails
 */
export async function run (
  tool: string,
  args: string[],
  input: Uint8Array = new Uint8Array(0),
  env: NodeJS.ProcessEnv = {},
  signal?: AbortSignal
): Promise<Buffer> {
  const child = spawn(tool, args, { env: { ...process.env, ...env }, signal })
  const stdout: Buffer[] = []
  const stderr: Buffer[] = []

  child.stdout.on('data', chunk => stdout.push(chunk))
  child.stderr.on('data', chunk => stderr.push(chunk))
  // a tool that fails stops reading; its exit code reports the failure
  child.stdin.on('error', () => {})
  child.stdin.end(input)

  const code = await new Promise((resolve, reject) => {
    child.on('close', resolve)
    child.on('error', cause => {
      reject(
        new Error(
          `${tool} is not ${tool.startsWith('/') ? 'installed' : 'on the PATH'}: ${INSTALL[tool] ?? 'install it'}`,
          { cause }
        )
      )
    })
  })

  if (code !== 0) {
    throw new Error(`${tool} ${args.join(' ')} ended with ${code}: ${Buffer.concat(stderr).toString().trim()}`)
  }

  return Buffer.concat(stdout)
}
