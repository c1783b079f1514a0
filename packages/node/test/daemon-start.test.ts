/** How a daemon and a conversion of the blockstore keep each other out. */
import calls from 'node:fs'
import fs, { mkdtemp, rm } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { lockDaemon, lockOutDaemons } from '../src/daemon/daemon-lock.ts'
import { startDaemon } from '../src/daemon/daemon.ts'

const { signal } = new AbortController()

async function repoPath (): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'ipfsz-daemon-'))
  onTestFinished(async () => { await rm(path, { recursive: true }) })

  return path
}

describe('a starting daemon', () => {
  it('reads how blocks are stored only after its lock keeps conversions out', async () => {
    const repo = await repoPath()
    const { open } = fs
    const { open: openFile } = calls
    const steps: string[] = []
    const note = (path: string): void => {
      if (path === join(repo, 'blockstore.json')) {
        steps.push('compression')
      } else if (path.startsWith(join(repo, 'locks', 'daemon-'))) {
        steps.push('lock')
      }
    }
    fs.open = async (path, ...args) => {
      note(String(path))

      return open(path, ...args)
    }
    calls.open = ((...args: Parameters<typeof openFile>) => {
      note(String(args[0]))
      openFile(...args)
    }) as typeof openFile
    syncBuiltinESMExports()
    onTestFinished(() => {
      Object.assign(fs, { open })
      Object.assign(calls, { open: openFile })
      syncBuiltinESMExports()
    })

    const daemon = await startDaemon({
      repo,
      listen: ['/ip4/127.0.0.1/tcp/0'],
      bootstrap: [],
      provide: 'none',
      signal,
      onNote: () => {},
      verbose: false
    })
    await daemon.stop()

    expect(steps).toEqual(['lock', 'compression'])
  })

  it('waits for a conversion, and keeps conversions out while it runs', async () => {
    const repo = await repoPath()
    const conversion = await lockOutDaemons(repo)

    const told = Promise.withResolvers<unknown>()
    const waiting = lockDaemon(repo, signal, told.resolve)
    expect(await told.promise).toMatchObject({ kind: 'convert', name: conversion.name, pid: process.pid })
    await conversion.release()

    const daemon = await waiting
    await expect(lockOutDaemons(repo))
      .rejects.toMatchObject({ name: 'DaemonRunningError', file: join(repo, 'locks', daemon.name) })
    await daemon.release()
    await (await lockOutDaemons(repo)).release()
    expect(await fs.readdir(join(repo, 'locks'))).toEqual([])
  })
})
