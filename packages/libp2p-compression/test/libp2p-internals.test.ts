import { readFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { yamux } from '@libp2p/yamux'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ECHO, startNode } from './nodes.ts'
import type { ProtocolComponents } from '../src/index.ts'
import type { Connection, Libp2p, StreamMuxer } from '@libp2p/interface'

const manifest = new URL('../../../node_modules/libp2p/package.json', import.meta.url)
const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }

/** The message of a test that fails when libp2p no longer does what we rely on. */
function gone (fact: string): string {
  return `libp2p ${version} does not ${fact}: see docs/upstream.md`
}

async function startComponents (): Promise<{ node: Libp2p, components: ProtocolComponents }> {
  let components: ProtocolComponents | undefined
  const node = await startNode({ services: { test: (given: ProtocolComponents) => { components = given } } })

  onTestFinished(async () => { await node.stop() })

  if (components == null) {
    throw new Error('libp2p made no service')
  }

  return { node, components }
}

describe('the libp2p methods that compressProtocols replaces', () => {
  it.each(
    ['handle', 'unhandle', 'getMiddleware', 'getHandler'] as const
  )('include %s of the registrar', async method => {
    const { components } = await startComponents()

    expect(components.registrar[method], gone(`have registrar.${method}`)).toBeTypeOf('function')
  })

  it('are called when a protocol is handled and unhandled', async () => {
    const { node, components: { registrar } } = await startComponents()
    const called: string[] = []
    registrar.handle = async () => { called.push('handle') }
    registrar.unhandle = async () => { called.push('unhandle') }

    await node.handle('/test/1.0.0', () => {})
    await node.unhandle('/test/1.0.0')

    expect(called, gone('call registrar.handle and registrar.unhandle of its components'))
      .toEqual(['handle', 'unhandle'])
  })

  it('are called when libp2p opens a stream and looks up its middleware', async () => {
    const there = await startNode({ listen: '/ip4/127.0.0.1/tcp/0' })
    onTestFinished(async () => { await there.stop() })
    await there.handle('/test/1.0.0', stream => { void stream.close() })
    const { node, components: { registrar, connectionManager } } = await startComponents()
    const called: string[] = []
    const getMiddleware = registrar.getMiddleware.bind(registrar)
    const openStream = connectionManager.openStream.bind(connectionManager)
    registrar.getMiddleware = protocol => {
      called.push(`getMiddleware ${protocol}`)
      return getMiddleware(protocol)
    }
    connectionManager.openStream = async (...args) => {
      called.push('openStream')
      return openStream(...args)
    }

    await node.dialProtocol(there.getMultiaddrs(), '/test/1.0.0')

    const ours = called.filter(call => call === 'openStream' || call.endsWith('/test/1.0.0'))

    expect(ours, gone('call openStream and getMiddleware of its components'))
      .toEqual(['openStream', 'getMiddleware /test/1.0.0'])
  })
})

/** A connection of libp2p to another node, and the muxer that it has of ours. */
async function connect (): Promise<{ connection: Connection, muxer: StreamMuxer }> {
  const muxers: StreamMuxer[] = []
  const there = await startNode({ listen: '/ip4/127.0.0.1/tcp/0' })
  const here = await startNode({
    muxer: () => {
      const factory = yamux()()

      return {
        protocol: factory.protocol,
        createStreamMuxer: inner => {
          const muxer = factory.createStreamMuxer(inner)
          muxers.push(muxer)

          return muxer
        }
      }
    }
  })
  onTestFinished(async () => { await Promise.all([here.stop(), there.stop()]) })
  const connection = await here.dial(there.getMultiaddrs())

  expect(muxers, gone('make one muxer for a connection')).toHaveLength(1)

  return { connection, muxer: muxers[0] }
}

describe('facts about the muxer of a connection', () => {
  it('are that libp2p calls its close as a property, and waits for it before it closes the connection', async () => {
    const { connection, muxer } = await connect()
    const statuses: string[] = []
    const close = muxer.close.bind(muxer)
    muxer.close = async options => {
      for (let i = 0; i < 10; i++) {
        await setImmediate()
      }

      statuses.push(connection.status)
      await close(options)
    }

    await connection.close()

    expect(statuses, gone('close a connection after its muxer')).toEqual(['open'])
    expect(connection.status).not.toBe('open')
  })

  it('are that the connection has its list of streams, the same one as long as it lives', async () => {
    const { connection, muxer } = await connect()
    const { streams } = muxer

    expect(connection.streams, gone('give a connection the list of streams of its muxer')).toBe(streams)

    const stream = await connection.newStream(ECHO)

    expect(streams, gone('keep one list of streams')).toContain(stream)
    expect(connection.streams, gone('keep one list of streams')).toBe(streams)
    await stream.close()
    expect(connection.streams, gone('keep one list of streams')).toBe(streams)
  })
})
