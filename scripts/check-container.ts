/**
 * Runs the steps of examples/gateway/Dockerfile without Docker, and then the gateway as the container would: each stage
 * is a chroot into a layer above this machine's files, with this Node in place of the image's. Then the commands of the
 * dev container, in a checkout that belongs to its user, and a test there. Needs Linux, root and the npm registry, or
 * npm's cache of it.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const ROOT = dirname(import.meta.dirname)
const DOCKERFILE = join(ROOT, 'examples/gateway/Dockerfile')
const DEV_CONTAINER = join(ROOT, '.devcontainer/devcontainer.json')

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
    'NPM_CONFIG_GLOBALCONFIG="$NPM_SETTINGS" NPM_CONFIG_CACHE="$NPM_CACHE" NPM_CONFIG_PREFER_OFFLINE=true ' +
    `${variables} sh -ec ${quote(`cd ${directory} && ${command}`)}`

  for (const { name, rest } of steps) {
    switch (name) {
      case 'FROM': {
        const [, image = '', as = 'last'] = /^(\S+)(?: AS (\S+))?$/.exec(rest) ?? []

        checkImage(image)
        stage = as
        directory = '/'
        user = 'root'
        variables = ''
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

  const ask =
    'node -e "fetch(\'http://127.0.0.1:8080/ipfs/$cid\').then(({ status }) => process.exit(status === 200 ? 0 : 1))"'

  // what the container runs, in a network of its own
  const [program = ''] = entry
  const use = [
    `cid=$(echo content | ${program} add -Q -)`,
    `${entry.join(' ')} > /tmp/said &`,
    "until grep -q 'gateway is ready' /tmp/said; do kill -0 $!; sleep 0.1; done",
    ask,
    'kill $!',
    'wait $!',
    // the other command that stays, without peers: it serves what is added while it runs
    `IPFSZ_BOOTSTRAP=none ${program} daemon --gateway > /tmp/daemon &`,
    "until grep -q 'daemon is ready' /tmp/daemon; do kill -0 $!; sleep 0.1; done",
    `cid=$(echo more | ${program} add -Q -)`,
    ask,
    'kill $!',
    'wait $!'
  ].join('\n')

  return [...lines, "unshare --net sh -eu << 'END'", 'ip link set lo up', run(use), 'END'].join('\n')
}

function checkImage (image: string): void {
  const [, major] = /node:(\d+)-/.exec(image) ?? []

  if (major !== process.versions.node.split('.')[0]) {
    throw new Error(`The image is ${image}, and this is Node ${process.versions.node}`)
  }
}

function inWorkspace (user: string, command: string): string {
  return `chroot --userspec=${user}:${user} "$TOP/dev/root" env -i PATH="$IMAGE_PATH" HOME=/tmp ` +
    `NPM_CONFIG_GLOBALCONFIG="$NPM_SETTINGS" sh -ec ${quote(`cd /workspace && ${command}`)}`
}

/** The shell commands of the dev container. Its user may use sudo; its features are tools that this machine has. */
function toDevScript (text: string): string {
  const { image, onCreateCommand, postCreateCommand } = JSON.parse(text) as Record<string, string>
  checkImage(image)

  return [
    'layer "$TOP/dev"',
    'root="$TOP/dev/root"',
    'mkdir -p "$root/workspace"',
    'git -C "$SOURCE" archive HEAD | tar -x -C "$root/workspace"',
    'chown -R 1000:1000 "$root/workspace"',
    'printf \'#!/bin/sh\\nexec "$@"\\n\' > "$root/usr/local/bin/sudo"',
    'chmod +x "$root/usr/local/bin/sudo"',
    inWorkspace('root', onCreateCommand),
    inWorkspace('node', postCreateCommand),
    inWorkspace('node', 'npx vitest run --project unit packages/utils/test')
  ].join('\n')
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
  const script = [
    LAYER, toScript(readSteps(readFileSync(DOCKERFILE, 'utf8'))), toDevScript(readFileSync(DEV_CONTAINER, 'utf8'))
  ].join('\n')
  const args = ['--mount', '--pid', '--fork', '--kill-child', 'bash', '-xc', script]
  const { status, stdout, stderr, error } = spawnSync('unshare', args, {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: {
      ...process.env,
      TOP: top,
      SOURCE: ROOT,
      NODE: process.execPath,
      // below HOME there is none: one of 900 downloads that failed would be the end
      NPM_CACHE: spawnSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).stdout.trim(),
      IMAGE_PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
    }
  })

  if (status !== 0) {
    throw new Error(`The steps of the containers ended with ${status}\n${stdout}${stderr}`, { cause: error })
  }

  console.info('The steps of the Dockerfile run; gateway and daemon serve in it. The dev container builds and tests')
} finally {
  rmSync(top, { recursive: true, force: true, maxRetries: 5 })
}
