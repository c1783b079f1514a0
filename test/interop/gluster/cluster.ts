import { execFile, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** In a network of its own: GlusterFS refuses addresses of the loopback interface that begin with 127. */
const ADDRESS = '10.77.0.1'
const VOLUME = 'shared'
const BRICKS = 3
/** How long bricks that were killed may take to start, and how often to look, in milliseconds. */
const START_TIMEOUT = 120_000
const INTERVAL = 250

/** Where a cluster runs. */
export interface GlusterNetwork {
  /** The address of the bricks. */
  address: string
  /** The command line that runs a command where the bricks are, or where a mount is. */
  onBricks (command: readonly string[]): [string, string[]]
  onMount (mount: number, command: readonly string[]): [string, string[]]
  close (): Promise<void>
  /** Called before anything starts, with what `kill` of the cluster does: this process may end before it is there. */
  onStart? (kill: () => void): void
}

/** Three bricks that each have a copy of all files, and mounts of them, as on several nodes. */
export interface GlusterCluster {
  /** The directories where the volume is mounted. */
  readonly mounts: readonly string[]
  /** Kill the process of a brick as a power cut would. */
  killBrick (number: number): Promise<void>
  /** Start the bricks that were killed. */
  startBricks (): Promise<void>
  /** Unmount, end all processes, delete all files. */
  stop (): Promise<void>
  /** The same at once, without waiting for anything, when this process ends. Its network stays. */
  kill (): void
}

/** @throws GlusterFS is missing or this is not root, with what to do */
export async function checkGluster (): Promise<void> {
  if (process.getuid?.() !== 0) {
    throw new Error('run this as root: it mounts GlusterFS in a network namespace')
  }

  for (const [tool, args] of [['glusterd', '--version'], ['ip', '-V'], ['nsenter', '-V']]) {
    await run(tool, [args]).catch((cause: unknown) => {
      const advice = 'apt-get install glusterfs-server glusterfs-client iproute2'
      throw new Error(`${tool} is not on the PATH: ${advice}`, { cause })
    })
  }
}

/**
 * @param network - by default one of its own
 * @throws GlusterFS is missing or this is not root, with what to do
 */
export async function startGluster (mountCount: number, network?: GlusterNetwork): Promise<GlusterCluster> {
  await checkGluster()
  const { address, onBricks, onMount, close, onStart } = network ?? await ownNetwork()
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-gluster-'))
  const mounts = Array.from({ length: mountCount }, (_, i) => join(directory, `mount${i}`))
  const inside = async (...command: string[]): Promise<string> => (await run(...onBricks(command))).stdout
  const socket = join(directory, 'glusterd.sock')
  const gluster = async (...args: string[]): Promise<string> =>
    inside('gluster', '--mode=script', `--glusterd-sock=${socket}`, ...args)

  const kill = (): void => {
    mounts.forEach(mount => spawnSync('umount', ['--lazy', mount]))
    killAll(directory)
    rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
  const stop = async (): Promise<void> => {
    kill()
    await close()
  }

  onStart?.(kill)

  try {
    const bricks = Array.from({ length: BRICKS }, (_, i) => join(directory, `brick${i}`))

    for (const path of [...mounts, ...bricks, ...['work', 'run'].map(name => join(directory, name))]) {
      await mkdir(path)
    }

    const settings = join(directory, 'glusterd.vol')
    await writeFile(settings, daemonSettings(directory, socket, address))
    // returns when the daemon listens
    await inside('glusterd', '-f', settings, '-l', `${directory}/glusterd.log`, '-p', `${directory}/glusterd.pid`)
    const places = bricks.map(path => `${address}:${path}`)
    await gluster('volume', 'create', VOLUME, 'replica', String(BRICKS), ...places, 'force')
    // how long a brick may be silent until the others go on without it, in seconds
    await gluster('volume', 'set', VOLUME, 'network.ping-timeout', '3')
    await gluster('volume', 'start', VOLUME)

    for (const [i, mount] of mounts.entries()) {
      await run(...onMount(i, [
        'glusterfs', `--volfile-server=${address}`, `--volfile-id=${VOLUME}`, `--log-file=${directory}/mount${i}.log`,
        // every node sees at once what another has changed
        '--entry-timeout=0', '--attribute-timeout=0', '--negative-timeout=0', mount
      ]))
    }
  } catch (err) {
    await stop()
    throw err
  }

  const pidOf = async (brick: number): Promise<number> => {
    const pids = join(directory, 'run', 'vols', VOLUME)
    const name = (await readdir(pids)).find(name => name.endsWith(`-brick${brick}.pid`)) ?? ''

    return Number(await readFile(join(pids, name), 'utf8'))
  }

  const allRun = async (): Promise<boolean> => {
    for (let i = 0; i < BRICKS; i++) {
      const stat = await readFile(`/proc/${await pidOf(i)}/stat`, 'utf8').catch(() => '')

      // one that was killed stays as a zombie for a while
      if (stat === '' || stat.includes(') Z ')) {
        return false
      }
    }

    return true
  }

  return {
    mounts,
    stop,
    kill,
    async killBrick (number) {
      process.kill(await pidOf(number), 'SIGKILL')
    },
    async startBricks () {
      const deadline = performance.now() + START_TIMEOUT

      // the daemon takes a while to notice that a brick was killed, and starts none that it takes for alive
      while (!await gluster('volume', 'start', VOLUME, 'force').then(allRun, () => false)) {
        if (performance.now() > deadline) {
          throw new Error(`the bricks did not start within ${START_TIMEOUT} ms`)
        }

        await delay(INTERVAL)
      }
    }
  }
}

/** A namespace with an address of its own. */
async function ownNetwork (): Promise<GlusterNetwork> {
  const namespace = `ipfsz-gluster-${process.pid}`
  const inside: GlusterNetwork['onBricks'] = command => [
    'nsenter', [`--net=/var/run/netns/${namespace}`, ...command]
  ]
  const close = async (): Promise<void> => {
    await run('ip', ['netns', 'delete', namespace]).catch(() => {})
  }

  try {
    await run('ip', ['netns', 'add', namespace])
    await run(...inside(['ip', 'link', 'set', 'lo', 'up']))
    await run(...inside(['ip', 'addr', 'add', `${ADDRESS}/32`, 'dev', 'lo']))
  } catch (err) {
    await close()
    throw err
  }

  return { address: ADDRESS, onBricks: inside, onMount: (_, command) => inside(command), close }
}

/** Kill all processes with the directory of a cluster in their arguments: daemons start others. */
function killAll (directory: string): void {
  for (const pid of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
    try {
      if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(directory)) {
        process.kill(Number(pid), 'SIGKILL')
      }
    } catch {
      // it has ended
    }
  }
}

function daemonSettings (directory: string, socket: string, address: string): string {
  return [
    'volume management',
    '    type mgmt/glusterd',
    `    option working-directory ${directory}/work`,
    `    option run-directory ${directory}/run`,
    `    option glusterd-sockfile ${socket}`,
    '    option transport-type socket',
    `    option transport.socket.bind-address ${address}`,
    'end-volume',
    ''
  ].join('\n')
}
