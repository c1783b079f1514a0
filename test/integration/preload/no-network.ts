import dgram from 'node:dgram'
import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'

/** Ends a process that uses the network. */
const refuse = (): never => {
  process.stderr.write('the network was asked for\n')
  process.exit(99)
}

net.Socket.prototype.connect = refuse
net.Server.prototype.listen = refuse
dgram.createSocket = refuse
dns.lookup = refuse as unknown as typeof dns.lookup
syncBuiltinESMExports()
