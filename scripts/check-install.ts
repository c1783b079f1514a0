/**
 * Packs the command as for publishing, installs it into an empty project, and uses it there. Fails if the install
 * brings too many packages or bytes, or if it does not work on Bun, Deno or a later Node. Run after a build.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { inEmptyProject, measureInstall } from './empty-project.ts'
import { useOtherRuntimes } from './other-runtimes.ts'
import type { Project } from './empty-project.ts'

const COMMAND = join(dirname(import.meta.dirname), 'packages/cli')

const LIMITS = { packages: 40, bytes: 40e6 }

/** No peer outside of this machine is contacted. */
const ENV = { ...process.env, IPFSZ_BOOTSTRAP: 'none', IPFSZ_PATH: 'repo' }

/** The licences of what is bundled, and of what the codecs embed, are installed too. */
function checkLicences ({ directory }: Project): void {
  const text = readFileSync(join(directory, 'node_modules/ipfsz/LICENSE-THIRD-PARTY'), 'utf8')

  for (const name of ['libp2p', 'commander', '@bokuweb/zstd-wasm']) {
    if (!text.split('\n').some(line => line.startsWith(`${name} `) || line.startsWith(`${name}:`))) {
      throw new Error(`LICENSE-THIRD-PARTY does not name ${name}`)
    }
  }
}

/** Add, read and link a file. */
function useFiles ({ directory, run }: Project): void {
  const file = join(directory, 'use.txt')
  writeFileSync(file, 'the same words again and again, '.repeat(10_000))

  // LevelDB keeps the links
  const cid = run('npx', '--no-install', 'ipfsz', 'add', '-Q', '--link', file)
  run('npx', '--no-install', 'ipfsz', 'get', cid, '-o', 'back.txt')

  if (!readFileSync(join(directory, 'back.txt')).equals(readFileSync(file))) {
    throw new Error(`npx ipfsz get ${cid} wrote other bytes than were added`)
  }
}

/** What is suggested can be typed as the command itself was. */
function useSuggestions ({ run }: Project): void {
  for (const [command, suggested] of [
    ['npx --no-install ipfsz', 'with npx ipfsz daemon'],
    ['node_modules/.bin/ipfsz', 'with ipfsz daemon']
  ]) {
    const failure = run('sh', '-c', `! ${command} connect /ip4/127.0.0.1/tcp/1 2>&1`)

    if (!failure.includes(suggested)) {
      throw new Error(`${command} does not suggest to start a daemon ${suggested}: ${failure}`)
    }
  }
}

/** Start a daemon with every transport, and stop it. */
async function useNetwork ({ directory }: Project): Promise<void> {
  const addresses = ['tcp/0', 'tcp/0/ws', 'udp/0/webrtc-direct'].flatMap(end => ['--listen', `/ip4/127.0.0.1/${end}`])
  const daemon = spawn('node_modules/.bin/ipfsz', ['daemon', ...addresses], { cwd: directory, env: ENV })
  const errors = text(daemon.stderr)
  let said = ''

  for await (const chunk of daemon.stdout) {
    said += String(chunk)

    if (said.includes('The daemon is ready')) {
      daemon.kill('SIGTERM')
    }
  }

  if (daemon.exitCode == null) {
    await once(daemon, 'exit')
  }

  if (daemon.exitCode !== 0 || await errors !== '' || !/\/tcp\/.*\/ws\/.*\/webrtc-direct\//s.test(said)) {
    throw new Error(`ipfsz daemon ended with ${daemon.exitCode}\n${said}${await errors}`)
  }
}

/** Files can be added without any addon. What needs one says which, and what to do. */
function useWithoutAddons ({ directory, run }: Project): void {
  const { optionalDependencies } = JSON.parse(readFileSync(join(COMMAND, 'package.json'), 'utf8')) as {
    optionalDependencies: object
  }

  for (const name of Object.keys(optionalDependencies)) {
    rmSync(join(directory, 'node_modules', name), { recursive: true })
  }

  for (const codec of ['zstd', 'lz4', 'snappy']) {
    run('npx', '--no-install', 'ipfsz', '--repo', 'other', 'add', '--codec', codec, 'use.txt')
  }

  const failure = run('sh', '-c', '! npx --no-install ipfsz --repo other add --link use.txt 2>&1')

  if (!failure.includes('The addon classic-level failed to load')) {
    throw new Error(`Without classic-level, ipfsz add --link says: ${failure}`)
  }
}

Object.assign(process.env, ENV)

await inEmptyProject([COMMAND], [], async project => {
  const found = measureInstall(project, LIMITS)

  checkLicences(project)
  useFiles(project)
  useSuggestions(project)
  await useNetwork(project)
  await useOtherRuntimes(project)
  useWithoutAddons(project)
  console.info(`The command installs in an empty project and works there: ${found}`)
})
