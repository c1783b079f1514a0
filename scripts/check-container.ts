/**
 * Runs the steps of examples/gateway/Dockerfile without Docker, and then the gateway as the container would: each stage
 * is a chroot into a layer above this machine's files, with this Node in place of the image's. Needs Linux, root and
 * the npm registry, or npm's cache of it.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const ROOT = dirname(import.meta.dirname)
const DOCKERFILE = join(ROOT, 'examples/gateway/Dockerfile')

interface Step {
  name: string
  rest: string
}

/** The instructions of a Dockerfile, with continued lines joined. */
function readSteps (text: string): Step[] {
  const lines = text.replaceAll(/\\\n\s*/g, '').split('\n').filter(line => !/^\s*(?:#|$)/.test(line))

  return lines.map(line => {
    const [, name = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? []

    return { name, rest }
  })
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** The shell commands of all steps, in `$TOP`. */
function toScript (steps: readonly Step[]): string {
  const lines = ['set -eu']
  let [stage, directory, user, variables] = ['', '/', 'root', '']
  let entry: string[] = []
  const run = (command: string): string =>
    `chroot --userspec=${user}:${user} "$TOP/${stage}/root" env -i PATH="$IMAGE_PATH" HOME=/tmp ` +
    `NPM_CONFIG_GLOBALCONFIG="$NPM_SETTINGS" ${variables} sh -ec ${quote(`cd ${directory} && ${command}`)}`

  for (const { name, rest } of steps) {
    switch (name) {
      case 'FROM': {
        const [, image = '', as = 'last'] = /^(\S+)(?: AS (\S+))?$/.exec(rest) ?? []
        const [, major] = /^node:(\d+)-/.exec(image) ?? []

        if (major !== process.versions.node.split('.')[0]) {
          throw new Error(`The image is ${image}, and this is Node ${process.versions.node}`)
        }

        [stage, directory, user, variables] = [as, '/', 'root', '']
        lines.push(`layer "$TOP/${stage}"`)
        break
      }
      case 'WORKDIR':
        directory = rest
        lines.push(`mkdir -p "$TOP/${stage}/root${directory}"`)
        break
      case 'COPY': {
        const [, from, source, target] = /^(?:--from=(\S+) )?(\S+) (\S+)$/.exec(rest) ?? []
        const to = `"$TOP/${stage}/root${target === '.' ? directory : target}"`
        lines.push(from == null
          ? `git -C "$SOURCE" archive HEAD ${source} | tar -x -C ${to}`
          : `cp -a "$TOP/${from}/root${source}/." ${to}`)
        break
      }
      case 'RUN':
        lines.push(run(rest))
        break
      case 'USER':
        user = rest
        break
      case 'ENV':
        variables += ` ${rest}`
        break
      case 'VOLUME':
        lines.push(run(`test -w ${rest}`))
        break
      case 'ENTRYPOINT':
      case 'CMD':
        entry = [...entry, ...JSON.parse(rest) as string[]]
        break
      default:
        throw new Error(`The Dockerfile has the step ${name}, which is not known here`)
    }
  }

  // what the container runs, in a network of its own
  const [program = ''] = entry
  const use = [
    `cid=$(echo content | ${program} add -Q -)`,
    `${entry.join(' ')} > /tmp/said &`,
    "until grep -q 'gateway is ready' /tmp/said; do kill -0 $!; sleep 0.1; done",
    'node -e "fetch(\'http://127.0.0.1:8080/ipfs/$cid\').then(({ status }) => process.exit(status === 200 ? 0 : 1))"',
    'kill $!',
    'wait $!'
  ].join('\n')

  return [...lines, "unshare --net sh -eu << 'END'", 'ip link set lo up', run(use), 'END'].join('\n')
}

const LAYER = `
layer () {
  mkdir -p "$1/upper" "$1/work" "$1/root"
  mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
  mount --bind /dev "$1/root/dev"
  mount -t proc proc "$1/root/proc"
  cp "$NODE" "$1/root/usr/local/bin/node"
  echo 'node:x:1000:1000::/tmp:/bin/sh' >> "$1/root/etc/passwd"
  echo 'node:x:1000:' >> "$1/root/etc/group"
  # where this machine gets packages, which --prefix would hide
  export NPM_SETTINGS=$(chroot "$1/root" env -i PATH="$IMAGE_PATH" npm config get globalconfig)
}
`

const top = mkdtempSync(join(tmpdir(), 'ipfsz-container-'))

try {
  mkdirSync(top, { recursive: true })
  const script = LAYER + toScript(readSteps(readFileSync(DOCKERFILE, 'utf8')))
  const args = ['--mount', '--pid', '--fork', '--kill-child', 'bash', '-xc', script]
  const { status, stdout, stderr, error } = spawnSync('unshare', args, {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: {
      ...process.env,
      TOP: top,
      SOURCE: ROOT,
      NODE: process.execPath,
      IMAGE_PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
    }
  })

  if (status !== 0) {
    throw new Error(`The steps of ${DOCKERFILE} ended with ${status}\n${stdout}${stderr}`, { cause: error })
  }

  console.info('The steps of the Dockerfile run, and the container serves')
} finally {
  rmSync(top, { recursive: true, force: true })
}
