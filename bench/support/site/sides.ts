import { bareSide } from './bare-sides.ts'
import { CASSANDRA } from './cassandra.ts'
import { CEPH } from './ceph.ts'
import { daemonSide } from './daemon-sides.ts'
import { GLUSTER } from './gluster.ts'
import { heliaSide } from './helia-sides.ts'
import { KUBO_SIDES } from './kubo-sides.ts'
import { S3_IN_MEMORY } from './s3-server.ts'
import { OWN_STORES, SHARED_DIRECTORY } from './storage.ts'
import type { Side } from './side.ts'

/** All sides, in the order of the tables. */
export const SIDES: readonly Side[] = [
  ...KUBO_SIDES,
  bareSide('bare-directory', SHARED_DIRECTORY),
  heliaSide('helia-own', 'helia', OWN_STORES),
  heliaSide('helia-shared', 'helia', SHARED_DIRECTORY),
  heliaSide('ipfsz-directory', 'ipfsz', SHARED_DIRECTORY),
  daemonSide('daemon-directory', SHARED_DIRECTORY),
  heliaSide('ipfsz-s3', 'ipfsz', S3_IN_MEMORY),
  daemonSide('daemon-s3', S3_IN_MEMORY),
  heliaSide('ipfsz-ceph', 'ipfsz', CEPH),
  daemonSide('daemon-ceph', CEPH),
  bareSide('bare-gluster', GLUSTER),
  heliaSide('ipfsz-gluster', 'ipfsz', GLUSTER),
  daemonSide('daemon-gluster', GLUSTER),
  // the command has no such store
  heliaSide('ipfsz-cassandra', 'ipfsz', CASSANDRA)
]
