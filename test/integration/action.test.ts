/** @module-tag long */
/** The step of action.yml, as a runner of GitHub starts it, and what can be said of the container without one. */
import { mkdir, readdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { execFile } from 'node:child_process'
import { CarReader } from '@ipld/car'
import * as dagPb from '@ipld/dag-pb'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect } from 'vitest'
import { validate } from 'dockerfile-utils'
import { parse } from 'yaml'
import { filesOf } from '../../scripts/nightly/files.ts'
import { noise, text } from '../support/data.ts'
import { startGateway } from './run-gateway.ts'
import { CLI, it } from './run-cli.ts'
import type { Sandbox } from './run-cli.ts'

const ROOT = join(import.meta.dirname, '../..')
const run = promisify(execFile)

interface Action {
  inputs: Record<string, { required?: boolean, default?: string }>
  outputs: Record<string, { value: string }>
  runs: { steps: Array<{ uses?: string, run: string, env: Record<string, string> }> }
}

const readAction = async (): Promise<Action> => parse(await readFile(join(ROOT, 'action.yml'), 'utf8')) as Action

interface Published {
  outputs: Record<string, string>
  summary: string
  printed: string
}

/** Run the step of the action with some inputs, and read what it gives to the next ones. */
async function publish ({ directory: cwd }: Sandbox, inputs: Record<string, string>): Promise<Published> {
  const { inputs: known, runs: { steps: [{ run: script, env }] } } = await readAction()
  const defaults = Object.fromEntries(Object.entries(known).map(([name, { default: value = '' }]) => [name, value]))
  const given: Record<string, string> = { ...defaults, ...inputs }
  const temporary = join(cwd, 'runner')
  await mkdir(temporary, { recursive: true })
  const [output, summary] = [join(cwd, 'output'), join(cwd, 'summary')]
  const { stdout } = await run('bash', ['-c', script], {
    cwd,
    env: {
      PATH: process.env.PATH,
      HOME: cwd,
      GITHUB_ACTION_PATH: ROOT,
      GITHUB_OUTPUT: output,
      GITHUB_STEP_SUMMARY: summary,
      RUNNER_TEMP: temporary,
      ...Object.fromEntries(Object.entries(env).map(([name, value]) => [
        name,
        value.replace(/\$\{\{ inputs\.([a-z-]+) \}\}/, (_, input: string) => given[input])
      ]))
    }
  })
  const lines = (await readFile(output, 'utf8')).trim().split('\n').slice(-5)

  return {
    outputs: Object.fromEntries(lines.map(line => /^([^=]*)=(.*)$/.exec(line)?.slice(1) ?? [line])),
    summary: await readFile(summary, 'utf8'),
    printed: stdout
  }
}

const COMMAND = `${process.execPath} ${CLI}`
const APP = Buffer.concat([noise(60_000), text(40_000)])

async function writeSite (sandbox: Sandbox, app: Uint8Array): Promise<void> {
  await mkdir(join(sandbox.directory, 'dist'), { recursive: true })
  await sandbox.write('dist/index.html', Buffer.from('<!doctype html><title>Mine</title>'))
  await sandbox.write('dist/app.js', app)
}

describe('the action', () => {
  it('uses no other action and no secret, and puts no input into a script', async () => {
    const { inputs, outputs, runs: { steps } } = await readAction()
    const script = await readFile(join(ROOT, 'scripts/site-action.sh'), 'utf8')

    expect(await readFile(join(ROOT, 'action.yml'), 'utf8')).not.toMatch(/secrets\.|github\.token/)
    expect(steps.map(({ uses }) => uses)).toEqual([undefined])
    expect(steps[0].run).not.toContain('${{')
    expect(Object.values(steps[0].env).toSorted())
      .toEqual(Object.keys(inputs).map(name => `\${{ inputs.${name} }}`).toSorted())

    for (const variable of Object.keys(steps[0].env)) {
      expect(script).toContain(`$${variable}`)
    }

    for (const [name, { value }] of Object.entries(outputs)) {
      expect(value).toBe(`\${{ steps.publish.outputs.${name} }}`)
      expect(script).toContain(`\`${name}=\${`)
    }
  })

  it('installs the version of the command that it comes with', async () => {
    const manifest = await readFile(join(ROOT, 'packages/cli/package.json'), 'utf8')
    const { version } = JSON.parse(manifest) as { version: string }

    expect((await readAction()).inputs.command.default).toBe(`npx --yes ipfsz@${version}`)
  })
})

describe('a site that the action publishes', { tags: 'nightly' }, () => {
  it('writes a CAR, what later steps need, and a summary', async ({ sandbox }) => {
    await writeSite(sandbox, APP)
    await sandbox.write('dist/.hidden', text(10))
    const { outputs, summary, printed } = await publish(sandbox, {
      directory: 'dist', command: COMMAND, keep: 'app.js\n*.css\n', hidden: 'true', car: 'out.car'
    })
    const size = (await readFile(join(sandbox.directory, 'out.car'))).byteLength

    expect(printed).toBe('')
    expect(outputs).toEqual({
      cid: expect.stringMatching(/^bafy/),
      tree: expect.stringMatching(/^bagalj7/),
      'plain-tree': expect.stringMatching(/^bafy/),
      car: 'out.car',
      'new-bytes': `${size}`
    })
    expect(summary).toContain(outputs.cid)
    expect(summary).toContain('all: there is none')
    await sandbox.run(['car', 'import', 'out.car'])
    expect((await sandbox.run(['ls', outputs.tree])).stdout.toString()).toContain('.hidden')
    expect((await sandbox.run(['cat', `${outputs.cid}/app.js`])).stdout.equals(APP)).toBe(true)
    expect((await sandbox.run(['ls', outputs['plain-tree']])).code).toBe(0)
  })

  it('fetches the last release from a gateway, and stores what changed', async ({ sandbox }) => {
    await writeSite(sandbox, APP)
    const first = await publish(sandbox, { directory: 'dist', command: COMMAND })
    await sandbox.run(['car', 'import', 'site.car'])
    const { url } = await startGateway(sandbox)
    await writeSite(sandbox, Buffer.concat([APP.subarray(0, 30_000), Buffer.from('new'), APP.subarray(30_000)]))
    const { outputs, summary } = await publish(sandbox, {
      directory: 'dist', command: COMMAND, car: 'next.car', base: first.outputs.cid, gateway: url
    })

    expect(Number(outputs['new-bytes'])).toBeLessThan(4000)
    expect(summary).toMatch(/new since the last release \| \d\.\d KiB/)
    await sandbox.run(['car', 'import', 'next.car', '--repo', 'other'])
    expect((await sandbox.run(['verify', '--all', '--repo', 'other'])).code).toBe(0)
  })

  it('gives the same CIDs, and nothing new, for a site that did not change', async ({ sandbox }) => {
    await writeSite(sandbox, APP)
    const first = await publish(sandbox, { directory: 'dist', command: COMMAND })
    await sandbox.run(['car', 'import', 'site.car'])
    const { url } = await startGateway(sandbox)
    const { outputs, summary } = await publish(sandbox, {
      directory: 'dist', command: COMMAND, car: 'next.car', base: first.outputs.cid, gateway: url
    })

    expect(outputs).toEqual({ ...first.outputs, car: 'next.car', 'new-bytes': '0' })
    expect(summary).toContain('new since the last release | 0.0 KiB')
    const [car, next] = await Promise.all(['site.car', 'next.car'].map(async name =>
      readFile(join(sandbox.directory, name))))
    expect(next.equals(car)).toBe(true)
  })

  it('lets no name begin another output, or a command to the runner', async ({ sandbox }) => {
    const hostile = 'dist\n::warning::mine\ncid=mine'
    await writeSite(sandbox, APP)
    await rename(join(sandbox.directory, 'dist'), join(sandbox.directory, hostile))
    await sandbox.write(join(hostile, '\n::error::mine\ncid=mine'), text(10))
    const { outputs, summary, printed } = await publish(sandbox, { directory: hostile, command: COMMAND })

    expect(printed).toBe('')
    expect(summary).not.toContain('mine')
    expect(outputs).toMatchObject({ cid: expect.stringMatching(/^bafy/), car: 'site.car' })
    expect(await readFile(join(sandbox.directory, 'output'), 'utf8')).not.toContain('mine')

    for (const car of ['a\ncid=mine', 'a\r\ncid=mine', 'a\rb']) {
      await expect(publish(sandbox, { directory: hostile, command: COMMAND, car })).rejects.toMatchObject({
        stdout: '::error::The name of the CAR has a line break\n'
      })
    }
  })

  it('gives pinning actions what they take: a CAR of version 1 whose one root is the CID, with all below it', async (
    { sandbox }
  ) => {
    await writeSite(sandbox, APP)
    const { outputs } = await publish(sandbox, { directory: 'dist', command: COMMAND })
    const reader = await CarReader.fromBytes(await readFile(join(sandbox.directory, outputs.car)))
    const roots = await reader.getRoots()
    const blocks = new Map<string, Uint8Array>()

    expect(reader.version).toBe(1)
    expect(roots.map(String)).toEqual([outputs.cid])

    for await (const { cid, bytes } of reader.blocks()) {
      const { digest } = await sha256.digest(bytes)
      expect([raw.code, dagPb.code]).toContain(cid.code)
      expect(Buffer.from(digest).equals(cid.multihash.digest)).toBe(true)
      // as much as Kubo and Bitswap take
      expect(bytes.byteLength).toBeLessThanOrEqual(2 ** 21)
      blocks.set(cid.toString(), bytes)
    }

    const wanted = [...roots]

    for (const cid of wanted) {
      const bytes = blocks.get(cid.toString())
      expect(bytes, `${cid}`).toBeDefined()
      wanted.push(...bytes == null || cid.code === raw.code ? [] : dagPb.decode(bytes).Links.map(({ Hash }) => Hash))
    }

    expect(new Set(wanted.map(String))).toEqual(new Set(blocks.keys()))
  })

  it('asks the domain of the last release for it, unless there is a gateway', async ({ sandbox }) => {
    await writeSite(sandbox, APP)
    const asked = join(sandbox.directory, 'asked')
    await sandbox.write('ipfsz.sh', Buffer.from(
      `[ "$1" != repair ] || { echo "$IPFSZ_GATEWAYS $3" >> '${asked}'; exit 1; }\nexec ${COMMAND} "$@"\n`
    ))
    const inputs = { directory: 'dist', command: 'bash ipfsz.sh', base: 'site.example/sub' }

    for (const gateway of ['', 'https://other.example']) {
      const { printed } = await publish(sandbox, { ...inputs, gateway, car: `${gateway.length}.car` })
      expect(printed).toMatch(/^::warning::The last release could not be fetched/)
    }

    expect(await readFile(asked, 'utf8'))
      .toBe('https://site.example /ipns/site.example/sub\nhttps://other.example /ipns/site.example/sub\n')
    await expect(publish(sandbox, { ...inputs, base: 'bafybeidr22wyfwuzcna777niq4dempohfyntwpwqhebwhr2kqnmk6mfvei' }))
      .rejects.toMatchObject({ stdout: expect.stringMatching(/^::error::The input base needs the input gateway/) })
  })

  it('says so if there is no such command, and which version made a site', async ({ sandbox }) => {
    await writeSite(sandbox, APP)

    await expect(publish(sandbox, { directory: 'dist', command: 'node none.js' })).rejects.toMatchObject({
      stdout: expect.stringMatching(/^::error::The command does not run: node none.js. If npm does not have it/)
    })
    const { summary } = await publish(sandbox, { directory: 'dist', command: COMMAND })
    expect(summary).toMatch(/\| made by \| ipfsz \d+\.\d+\.\d+ \|/)
  })

  it('stores all of a site if the last release is gone, and says so', async ({ sandbox }) => {
    await writeSite(sandbox, APP)
    await sandbox.add(text(10))
    const { url } = await startGateway(sandbox)
    const { outputs, printed } = await publish(sandbox, {
      directory: 'dist', command: COMMAND, gateway: url,
      base: 'bafybeidr22wyfwuzcna777niq4dempohfyntwpwqhebwhr2kqnmk6mfvei'
    })

    expect(printed).toMatch(/^::warning::The last release could not be fetched/)
    expect(Number(outputs['new-bytes'])).toBeGreaterThan(APP.byteLength / 2)
  })

  it('fails, and writes no CAR, if the directory is no site', async ({ sandbox }) => {
    await mkdir(join(sandbox.directory, 'dist'))

    await expect(publish(sandbox, { directory: 'dist', command: COMMAND })).rejects.toThrow(/has no index.html/)
    expect(await readdir(sandbox.directory)).not.toContain('site.car')
  })

  it('takes inputs as they are, not as code', async ({ sandbox }) => {
    await writeSite(sandbox, APP)
    const given = '$(touch ran)'
    const inputs = { directory: given, keep: given, car: given, base: given, gateway: 'http://127.0.0.1:9' }

    await expect(publish(sandbox, { ...inputs, command: COMMAND })).rejects.toThrow(/no such file/)
    expect(await readdir(sandbox.directory)).not.toContain('ran')
  })
})

describe('the container', () => {
  it.for(filesOf(ROOT, ['**/Dockerfile']))('has a %s in which the linter finds no problem', async path => {
    expect(validate(await readFile(join(ROOT, path), 'utf8'))).toEqual([])
  })

  it('is not root, keeps the repo outside of its image, and has a version of all that it is made from', async () => {
    const text = await readFile(join(ROOT, 'examples/gateway/Dockerfile'), 'utf8')
    const lines = text.replaceAll(/\\\n\s*/g, '').split('\n').filter(line => !/^(?:#|$)/.test(line))
    const last = lines.slice(lines.findLastIndex(line => line.startsWith('FROM ')))

    // Renovate adds the digest (docker:pinDigests): which one is the image's, only its registry can tell
    for (const line of lines.filter(line => line.startsWith('FROM '))) {
      expect(line).toMatch(/^FROM node:\d+-[a-z-]+(?:@sha256:[0-9a-f]{64})?(?: AS \w+)?$/)
    }

    expect(JSON.parse(await readFile(join(ROOT, '.github/renovate.json'), 'utf8')))
      .toMatchObject({ extends: expect.arrayContaining(['docker:pinDigests']) })

    expect(text).not.toMatch(/^(?:ADD|ARG|SHELL)\b|--allow|curl|sudo/m)
    expect(last).toContain('USER node')
    expect(last.indexOf('USER node')).toBeLessThan(last.indexOf('ENTRYPOINT ["ipfsz"]'))
    expect(last).toContain('ENV IPFSZ_PATH=/repo IPFSZ_SAFE_DIRECTORY=/repo')
    expect(last).toContain('VOLUME /repo')
    const ignored = await readFile(join(ROOT, 'examples/gateway/Dockerfile.dockerignore'), 'utf8')
    expect(ignored.split('\n')).toEqual(expect.arrayContaining(['.git']))
  })

  it('runs the gateway, and other commands in its place', async ({ sandbox }) => {
    const text = await readFile(join(ROOT, 'examples/gateway/Dockerfile'), 'utf8')
    const [, command = '[]'] = /^CMD (.*)$/m.exec(text) ?? []

    for (const args of [JSON.parse(command) as string[], ['daemon']]) {
      expect((await sandbox.run([...args, '--help'])).code).toBe(0)
    }
  })
})
