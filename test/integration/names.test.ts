import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { text } from '../support/data.ts'
import { startDaemon } from '../support/network-daemons.ts'
import { expectFailure, expectSuccess, it, parseLines } from './run-cli.ts'

describe.concurrent('ipfsz name', () => {
  it('publishes marked CIDs and paths that others resolve unchanged', { tags: 'slow' }, async ({ sandbox }) => {
    const bootstrap = (await startDaemon(sandbox, { repo: join(sandbox.directory, 'boot') })).address
    const { peerId } = await startDaemon(sandbox, { bootstrap: [bootstrap] })
    const cid = await sandbox.add(text(100_000))
    const env = { IPFSZ_BOOTSTRAP: bootstrap }
    const elsewhere = ['--repo', join(sandbox.directory, 'elsewhere')]

    const [own] = parseLines((await sandbox.run(['name', 'publish', '--json', cid])).stdout)
    const [other] = parseLines(
      (await sandbox.run(['name', 'publish', '--json', `${cid}/a/b`, '--key', 'other'])).stdout
    )

    expect(own).toEqual({ name: expect.stringMatching(/^k51/), cid, path: '', sequence: 1 })
    expect(other.name).not.toBe(own.name)
    expect((await stat(join(sandbox.repo, 'keys', 'other'))).mode & 0o777).toBe(0o600)

    for (
      const [name, lead] of [[own.name, cid], [`/ipns/${own.name}`, cid], [peerId, cid], [other.name, `${cid}/a/b`]]
    ) {
      const resolved = await sandbox.run(['name', 'resolve', String(name), ...elsewhere], { env })

      expectSuccess(resolved)
      expect(resolved.stdout.toString()).toBe(`${String(lead)}\n`)
    }
  })

  it('publishes without a daemon and increments the sequence number', { tags: 'slow' }, async ({ sandbox }) => {
    const bootstrap = (await startDaemon(sandbox, { repo: join(sandbox.directory, 'boot') })).address
    const env = { IPFSZ_BOOTSTRAP: bootstrap }
    const [first, second] = [await sandbox.add(text(10_000)), await sandbox.add(text(20_000))]

    const published = []
    for (const cid of [first, second]) {
      published.push(...parseLines((await sandbox.run(['name', 'publish', '--json', cid], { env })).stdout))
    }

    expect(published).toMatchObject([{ cid: first, sequence: 1 }, { cid: second, sequence: 2 }])
    expect((await sandbox.run(['name', 'resolve', String(published[0].name)], { env })).stdout.toString())
      .toBe(`${second}\n`)
  })

  it('refuses to publish when no peer stores the record', { tags: 'slow' }, async ({ sandbox }) => {
    await startDaemon(sandbox)
    const cid = await sandbox.add(text(10_000))

    expectFailure(await sandbox.run(['name', 'publish', cid]), 1)
  })

  it.for<[string, string[], number]>([
    ['to publish an invalid CID', ['name', 'publish', 'nothing'], 2],
    [
      'a key name that leads out of the repo',
      ['name', 'publish', 'bafkreigss5i7eze3gl7vok26bkpvihvgmcsq7fh7bpxn7mfwsk4sjteaeu', '--key', '../key'],
      2
    ],
    ['to resolve an invalid name', ['name', 'resolve', 'nothing'], 1]
  ])('refuses %s', async ([, args, code], { sandbox }) => {
    await startDaemon(sandbox)

    expectFailure(await sandbox.run(args), code)
  })

  it('refuses to resolve a name without a daemon or peers to ask', async ({ sandbox }) => {
    const result = await sandbox.run([
      'name',
      'resolve',
      'k51qzi5uqu5dk7q8vhdy5ud4u9kbuatxshxayzy21v2e0gux0m2f4yydzmkx48'
    ])

    expectFailure(result, 1)
    expect(result.stderr).toContain('ipfsz daemon')
  })
})
