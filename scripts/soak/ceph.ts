import { S3Objects } from '@ipfsz/blockstore-s3'
import { startCeph } from '../../test/interop/ceph/cluster.ts'
import type { Engine } from './engine.ts'

const BUCKET = 'soak'
/** A storage daemon needs room for its records too: this many bytes for each byte of the files, and 2 GiB. */
const ROOM = 1.5
const LEAST_ROOM = 2 * 1024 ** 3
/** With one placement group, all of a pool's objects would wait for each other. */
const PLACEMENT_GROUPS = 8
const MIB = 1024 * 1024

/** A Ceph cluster on loopback: three storage daemons with a copy of everything each, and a gateway for each node. */
export async function cephEngine (size: number): Promise<Engine> {
  const ceph = await startCeph({
    storageSize: LEAST_ROOM + Math.ceil(size * ROOM),
    placementGroups: PLACEMENT_GROUPS
  })
  const { credentials, storage, gateways, endpoints } = ceph
  const objects = new S3Objects({ bucket: BUCKET, endpoints, credentials })
  let killed = 0

  try {
    await objects.createBucket()
  } catch (err) {
    await ceph.stop()
    throw err
  }

  return {
    stores: endpoints.map((own, i) => `s3://${BUCKET}/site?endpoint=${own}&endpoint=${endpoints.at(i - 1)}`),
    env: { AWS_ACCESS_KEY_ID: credentials.accessKeyId, AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey },
    async kill () {
      killed = storage[1].peakMemory
      await storage[1].kill()
    },
    async restore () {
      storage[1].start()
    },
    works: ceph.storageWorks,
    async describe () {
      const stored = { count: 0, size: 0 }

      for await (const page of objects.list('')) {
        stored.count += page.length
        stored.size += page.reduce((total, { size }) => total + size, 0)
      }

      return {
        objects: stored.count,
        'stored MiB': inMib(stored.size),
        'most MiB of a storage daemon': inMib(Math.max(killed, ...storage.map(({ peakMemory }) => peakMemory))),
        'most MiB of a gateway': inMib(Math.max(...gateways.map(({ peakMemory }) => peakMemory)))
      }
    },
    async stop () {
      objects.close()
      await ceph.stop()
    }
  }
}

function inMib (bytes: number): number {
  return Math.round(bytes / MIB)
}
