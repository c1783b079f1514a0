import { spawn } from 'node:child_process'
import { onTestFinished } from 'vitest'
import { CLI } from './run-cli.ts'
import type { Process, Sandbox } from './run-cli.ts'

/**
 * Run the command as in a container that shares the disk with this machine, but has its
 * own process ids and host name. It is killed when the test ends.
 *
 * @param host - the host name of the container
 * @param unshared - options of unshare for further namespaces of its own
 */
export function startInContainer (
  host: string,
  sandbox: Sandbox,
  args: readonly string[],
  unshared: readonly string[] = []
): Process {
  return inContainer(host, sandbox, [CLI, ...args], unshared)
}

/** Hold a lock of the repo in a container until stdin ends. Prints `held`, or the error's name if that fails. */
export function holdInContainer (host: string, sandbox: Sandbox, kind: 'add' | 'gc'): Process {
  const module = new URL('../../packages/node/dist/repo/repo-lock.js', import.meta.url)

  return inContainer(host, sandbox, ['--input-type=module', '--eval', `
    import { lockRepo } from ${JSON.stringify(module)}
    const release = await lockRepo(
      process.env.IPFSZ_PATH,
      ${JSON.stringify(kind)},
      new AbortController().signal,
      { timeout: -1 }
    ).catch(({ name }) => { console.log(name) })
    if (release != null) {
      console.log('held')
      process.stdin.on('end', release).resume()
    }
  `])
}

function inContainer (
  host: string,
  { directory, repo }: Sandbox,
  args: readonly string[],
  unshared: readonly string[] = []
): Process {
  // only root may do this outside of a user namespace
  const user = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']
  const child = spawn('unshare', [
    ...user,
    '--pid',
    '--fork',
    '--kill-child',
    '--mount-proc',
    '--uts',
    ...unshared,
    'sh',
    '-c',
    'hostname "$0" && exec "$@"',
    host,
    process.execPath,
    ...args
  ], {
    cwd: directory,
    env: { PATH: process.env.PATH, HOME: directory, IPFSZ_PATH: repo, IPFSZ_BOOTSTRAP: 'none' },
    stdio: ['pipe', 'pipe', 'pipe']
  })

  child.stdin.on('error', () => {})
  child.once('error', (err: NodeJS.ErrnoException) => {
    if (err.code === 'ENOENT') {
      err.message = 'unshare is needed, install it: apt-get install util-linux'
    }
  })
  onTestFinished(() => { child.kill('SIGKILL') })

  return child
}
