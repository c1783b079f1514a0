#!/usr/bin/env python3
"""A wide area network on one machine, where the kernel has no netem: each host is a network namespace with a TUN
device, and this process hands each IP packet on after the delay of its path. No namespace has a route outside.

    wan.py SITES NODES SITE_MS CLIENT_MS LAN_MS     round trips: between sites, from a client to its site, in a site

Hosts are 10.88.SITE.NODE, 10.88.SITE.90 for the storage of a site, and 10.88.SITE.100 for its client. Prints one line of JSON when it is ready, with
the process in each host's namespace. Then it obeys the lines of stdin, and answers each with one line:

    report      {"sites": bytes from each site to each site, "dropped": packets}
    cut SITE    drop what passes between this site and the others, until
    heal SITE

It ends with stdin. A namespace ends with the process in it, and that one with this process, so nothing stays behind
even if this is killed.
"""
import collections
import ctypes
import fcntl
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import time

CLONE_NEWNET = 0x40000000
PR_SET_PDEATHSIG = 1
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
STORAGE, CLIENT = 90, 100
MTU = 9000
# packets of one host that are read before others get their turn
BURST = 64

libc = ctypes.CDLL(None, use_errno=True)


def call(name, *arguments):
    if getattr(libc, name)(*arguments) != 0:
        raise OSError(ctypes.get_errno(), f'{name}: {os.strerror(ctypes.get_errno())}')


def configure(*arguments):
    subprocess.run(['ip', *arguments], check=True)


def be_host(site, node, parent, channel):
    """The process in a host's namespace: makes the device, hands it to the parent, and waits until the parent ends."""
    call('prctl', PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)
    call('unshare', CLONE_NEWNET)
    device = os.open('/dev/net/tun', os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack('16sH22x', b'wan0', IFF_TUN | IFF_NO_PI))
    for scope in 'all', 'default':
        try:
            with open(f'/proc/sys/net/ipv6/conf/{scope}/disable_ipv6', 'w') as setting:
                setting.write('1')
        except OSError:
            pass  # there is no IPv6, or /proc/sys is read-only: then its packets are dropped below
    configure('link', 'set', 'lo', 'up')
    configure('addr', 'add', f'10.88.{site}.{node}/16', 'dev', 'wan0')
    configure('link', 'set', 'wan0', 'mtu', str(MTU), 'txqueuelen', '10000', 'up')
    socket.send_fds(channel, [b'.'], [device])
    os.close(device)
    while True:
        signal.pause()


def make_host(site, node):
    """Returns the process in the namespace, and the device."""
    ours, theirs = socket.socketpair()
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        try:
            be_host(site, node, parent, theirs)
        except BaseException as error:
            print(f'host {site}.{node}: {error}', file=sys.stderr)
        finally:
            os._exit(1)
    theirs.close()
    _, devices, _, _ = socket.recv_fds(ours, 1, 1)
    if len(devices) != 1:
        sys.exit(1)
    return child, devices[0]


def main():
    sites, nodes = (int(text) for text in sys.argv[1:3])
    # one way, in seconds
    between, client, inside = (float(text) / 2000 for text in sys.argv[3:6])
    try:
        os.setpriority(os.PRIO_PROCESS, 0, -20)  # a delay is only as exact as this process is prompt
    except OSError:
        pass

    hosts = [(site, node) for site in range(1, sites + 1) for node in [*range(1, nodes + 1), STORAGE, CLIENT]]
    made = {host: make_host(*host) for host in hosts}
    device_of = {host: device for host, (_, device) in made.items()}
    host_of = {device: host for host, device in device_of.items()}
    traffic = [[0] * sites for _ in range(sites)]
    cut, dropped = set(), 0
    # one queue for each delay: packets leave it in the order in which they came
    queues = collections.defaultdict(collections.deque)

    def delay(source, target):
        clients = (source[1] == CLIENT) + (target[1] == CLIENT)
        return (between if source[0] != target[0] else inside if clients == 0 else 0) + client * clients

    def answer(line):
        word, *rest = line.split()
        if word == 'cut':
            cut.add(int(rest[0]))
        elif word == 'heal':
            cut.discard(int(rest[0]))
        print(json.dumps({'sites': traffic, 'dropped': dropped}), flush=True)

    print(json.dumps({'hosts': {f'{site}.{node}': pid for (site, node), (pid, _) in made.items()}}), flush=True)
    os.set_blocking(0, False)
    text = ''

    while True:
        now = time.monotonic()
        for queue in queues.values():
            while queue and queue[0][0] <= now:
                _, device, packet = queue.popleft()
                try:
                    os.write(device, packet)
                except OSError:
                    dropped += 1
        due = min((queue[0][0] for queue in queues.values() if queue), default=None)
        # not poll or epoll, which wait for whole milliseconds
        wait = None if due is None else max(0, due - time.monotonic())
        ready, _, _ = select.select([0, *host_of], [], [], wait)
        for device in ready:
            if device == 0:
                more = os.read(0, 4096).decode()
                if more == '':
                    return
                *lines, text = (text + more).split('\n')
                for line in lines:
                    answer(line)
                continue
            source = host_of[device]
            for _ in range(BURST):
                try:
                    packet = os.read(device, MTU + 64)
                except BlockingIOError:
                    break
                # IPv4 to a host of this network; everything else has nowhere to go
                target = (packet[18], packet[19]) if packet[0] >> 4 == 4 and packet[16:18] == b'\x0a\x58' else None
                if target not in device_of:
                    continue
                if source[0] != target[0]:
                    if source[0] in cut or target[0] in cut:
                        dropped += 1
                        continue
                    traffic[source[0] - 1][target[0] - 1] += len(packet)
                pause = delay(source, target)
                queues[pause].append((time.monotonic() + pause, device_of[target], packet))


if __name__ == '__main__':
    main()
