import { BaseBlockstore } from 'blockstore-core'
import { Client, policies, types } from 'cassandra-driver'
import { NotFoundError } from 'interface-store'
import { DATA_CENTER } from './cassandra-node.ts'
import type { CID } from 'multiformats/cid'

/** How long a request may take, in milliseconds: as long as Cassandra's nodes wait for each other. */
const TIMEOUT = 20_000

/** Blocks in a table of Cassandra. Most copies have confirmed what is written, and answer what is read. */
export class CassandraBlockstore extends BaseBlockstore {
  readonly #client: Client

  constructor (url: string) {
    super()
    this.#client = connectTo(url)
  }

  async open (): Promise<void> {
    await this.#client.connect()
  }

  override async put (cid: CID, value: Parameters<BaseBlockstore['put']>[1]): Promise<CID> {
    const bytes = value instanceof Uint8Array ? value : Buffer.concat(await Array.fromAsync(value))
    await this.#run('INSERT INTO site.blocks (id, bytes) VALUES (?, ?)', cid, Buffer.from(bytes))

    return cid
  }

  override async * get (cid: CID): AsyncGenerator<Uint8Array> {
    const row = (await this.#run('SELECT bytes FROM site.blocks WHERE id = ?', cid)).first()

    if (row == null) {
      throw new NotFoundError(`there is no block ${cid}`)
    }

    yield row.get('bytes') as Uint8Array
  }

  override async has (cid: CID): Promise<boolean> {
    return (await this.#run('SELECT id FROM site.blocks WHERE id = ?', cid)).first() != null
  }

  async #run (query: string, cid: CID, ...values: Uint8Array[]): Promise<types.ResultSet> {
    return this.#client.execute(query, [Buffer.from(cid.multihash.bytes), ...values], { prepare: true })
  }
}

/** Make the table, and wait until every node has confirmed a block. Throws before a cluster works. */
export async function createTable (url: string, nodes: number): Promise<void> {
  const client = connectTo(url)

  try {
    await client.execute('CREATE KEYSPACE IF NOT EXISTS site WITH replication = ' +
      `{ 'class': 'NetworkTopologyStrategy', '${DATA_CENTER}': ${nodes} }`)
    // blocks are compressed already, or must not be
    await client.execute('CREATE TABLE IF NOT EXISTS site.blocks (id blob PRIMARY KEY, bytes blob) ' +
      "WITH compression = { 'enabled': false }")
    await client.execute('INSERT INTO site.blocks (id, bytes) VALUES (0x00, 0x00)', [], {
      consistency: types.consistencies.all
    })
  } finally {
    await client.shutdown()
  }
}

/** The driver would ask all nodes in turn, and most of them listen on loopback. */
function connectTo (url: string): Client {
  const { host } = new URL(url)
  const { AllowListPolicy, RoundRobinPolicy } = policies.loadBalancing

  return new Client({
    contactPoints: [host],
    localDataCenter: DATA_CENTER,
    policies: { loadBalancing: new AllowListPolicy(new RoundRobinPolicy(), [host]) },
    queryOptions: { consistency: types.consistencies.quorum },
    socketOptions: { readTimeout: TIMEOUT }
  })
}
