/**
 * Runs a cluster of Ceph on a host, and prints the URL of its S3 gateway. A line of stdin kills one of its storage
 * daemons, and it ends with stdin. `ceph.ts` starts it in a network namespace.
 */
import { createInterface } from 'node:readline'
import { S3Blockstore } from '@ipfsz/blockstore-s3'
import { startCeph } from '../../../test/interop/ceph/cluster.ts'
import { BUCKET, CREDENTIALS } from './messages.ts'

/** As many as an operator of three storage daemons would choose at least. */
const PLACEMENT_GROUPS = 8

const ceph = await startCeph({ address: process.argv[2], gatewayCount: 1, placementGroups: PLACEMENT_GROUPS })

process.on('SIGTERM', () => { ceph.stop().finally(() => process.exit(1)) })
// ipfsz uses buckets, and makes none
await new S3Blockstore(
  { bucket: BUCKET, endpoints: ceph.endpoints, credentials: CREDENTIALS }, { createIfMissing: true }
).open()
process.stdout.write(`${ceph.endpoints[0]}\n`)

for await (const _ of createInterface({ input: process.stdin })) {
  await ceph.storage[1].kill()
  process.stdout.write('killed\n')
}

await ceph.stop()
process.exit()
