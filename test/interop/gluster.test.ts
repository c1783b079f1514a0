/** @module-tag nightly */
/** Nodes that share a directory on GlusterFS: three bricks, each with all files, and a mount for each node. */
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { expectSuccess, it } from '../integration/run-cli.ts'
import { text } from '../support/data.ts'
import { startGluster } from './gluster/cluster.ts'
import type { Sandbox } from '../integration/run-cli.ts'
import type { GlusterCluster } from './gluster/cluster.ts'

let cluster: GlusterCluster

beforeAll(async () => {
  cluster = await startGluster(2)
})

afterAll(async () => {
  await cluster.stop()
})

/** The repos of two nodes whose store is a directory on their mounts. */
async function makeNodes (sandbox: Sandbox, name: string): Promise<[a: string, b: string]> {
  await mkdir(join(cluster.mounts[0], name))

  for (const [i, repo] of ['a', 'b'].entries()) {
    expectSuccess(await sandbox.run(['init', '--store', join(cluster.mounts[i], name), '--repo', repo]))
  }

  return ['a', 'b']
}

async function writeTree (sandbox: Sandbox, name: string, seed: number): Promise<string> {
  for (let i = 0; i < 20; i++) {
    const directory = join(name, `${i % 4}`)
    await mkdir(join(sandbox.directory, directory), { recursive: true })
    await sandbox.write(join(directory, `${i}.txt`), text(20_000 + i * 1000, seed + i))
  }

  return name
}

describe('a store on GlusterFS', () => {
  it('loses nothing when a brick is killed while nodes add, one is killed and another collects garbage', async (
    { sandbox }
  ) => {
    const [a, b] = await makeNodes(sandbox, 'killed-brick')
    const same = await writeTree(sandbox, 'same', 1)
    const other = await writeTree(sandbox, 'other', 100)
    const unwanted = await writeTree(sandbox, 'unwanted', 200)
    const add = async (path: string, repo: string): Promise<string> => {
      const result = await sandbox.spawn(['add', '-rQ', path, '--repo', repo])
      expectSuccess(result)

      return result.stdout.toString().trim()
    }

    const garbage = await add(unwanted, a)
    expectSuccess(await sandbox.run(['pin', 'rm', garbage, '--repo', a]))

    const killed = sandbox.start(['add', '-rQ', '--codec', 'brotli', other, '--repo', b])
    const adds = [add(same, a), add(same, b), add(other, a)]
    await cluster.killBrick(1)
    const collected = sandbox.spawn(['gc', '--repo', b])
    killed.kill('SIGKILL')
    await once(killed, 'close')
    const cids = await Promise.all(adds)
    await cluster.startBricks()
    await collected

    expect(cids[0]).toBe(cids[1])
    // what was acknowledged is there, on both nodes, and what was unpinned can be added again
    cids.push(await add(unwanted, b))

    for (const repo of [a, b]) {
      expectSuccess(await sandbox.run(['verify', '--all', '--repo', repo]))
      const pins = (await sandbox.run(['pin', 'ls', '--repo', repo])).stdout.toString()
      cids.forEach(cid => { expect(pins).toContain(cid) })
    }
  })

  it('says that the store cannot be reached when most bricks are gone, and works when they are back', async (
    { sandbox }
  ) => {
    const [a, b] = await makeNodes(sandbox, 'no-quorum')
    const path = await sandbox.write('notes.txt', text(50_000))
    const added = await sandbox.run(['add', '-Q', path, '--repo', a])
    expectSuccess(added)
    const cid = added.stdout.toString().trim()

    await cluster.killBrick(0)
    await cluster.killBrick(2)

    for (const args of [['add', path], ['cat', cid], ['gc'], ['pin', 'ls']]) {
      const { code, stderr } = await sandbox.run([...args, '--repo', b])
      expect(code).toBe(1)
      expect(stderr).toContain(join(cluster.mounts[1], 'no-quorum'))
    }

    await cluster.startBricks()
    await expect.poll(async () => (await sandbox.run(['cat', cid, '--repo', b])).stderr).toBe('')
    expectSuccess(await sandbox.run(['verify', '--all', '--repo', b]))
  })
})
