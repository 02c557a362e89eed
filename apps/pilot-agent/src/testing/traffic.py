"""Servers and clients that tell where connections arrive, for tests of redirection in network namespaces.

serve ROLE   listens as ROLE says, prints "ready", answers every connection or datagram with a line of JSON
probe        reads a list of probes (JSON) from stdin, makes each as its user, prints the list of answers
"""
import json, os, socket, struct, sys, threading

ORIGINAL_DST = 80
IP_TRANSPARENT, IPV6_TRANSPARENT = 19, 75
ANY = ["0.0.0.0", "::"]
# Answers to datagrams come from the address that they were sent to only if the socket has that address.
DNS = {"proxy": ["127.0.0.1", "::1"], "peer": ["10.77.0.1", "fd77::1", "10.79.0.1", "fd79::1"]}


def become(uid, gid):
    os.setgroups([])
    os.setgid(gid)
    os.setuid(uid)


def name(address):
    return "[%s]:%d" % address[:2] if ":" in address[0] else "%s:%d" % address[:2]


def original(conn):
    """Where the client connected to, before redirection."""
    try:
        if conn.family == socket.AF_INET:
            port, packed = struct.unpack("!2xH4s8x", conn.getsockopt(socket.SOL_IP, ORIGINAL_DST, 16))
            return socket.inet_ntop(socket.AF_INET, packed), port
        port, packed = struct.unpack("!2xH4x16s4x", conn.getsockopt(socket.IPPROTO_IPV6, ORIGINAL_DST, 28))
        return socket.inet_ntop(socket.AF_INET6, packed), port
    except OSError:
        return conn.getsockname()[:2]


def domain_of(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def listen(address, kind, port, transparent=False):
    domain = domain_of(address)
    sock = socket.socket(domain, kind)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if domain == socket.AF_INET6:
        sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    if transparent:
        set_transparent(sock)
    sock.bind((address, port))
    if kind == socket.SOCK_STREAM:
        sock.listen(16)
    return sock


def set_transparent(sock):
    if sock.family == socket.AF_INET:
        sock.setsockopt(socket.SOL_IP, IP_TRANSPARENT, 1)
    else:
        sock.setsockopt(socket.IPPROTO_IPV6, IPV6_TRANSPARENT, 1)


def forward(conn):
    """As a transparent proxy: to where the client wanted, from the client's address."""
    upstream = socket.socket(conn.family, socket.SOCK_STREAM)
    set_transparent(upstream)
    upstream.setsockopt(socket.SOL_SOCKET, socket.SO_MARK, 1337)
    upstream.settimeout(3)
    upstream.bind((conn.getpeername()[0], 0))
    upstream.connect(original(conn))
    return json.loads(upstream.makefile().readline())


def accept(sock, role, port, transparent):
    while True:
        conn, peer = sock.accept()
        answer = {"at": role, "port": port, "original": name(original(conn)), "client": peer[0]}
        if transparent and port == 15006:
            try:
                answer["upstream"] = forward(conn)
            except (OSError, ValueError) as error:
                answer["upstream"] = str(error)
        conn.sendall((json.dumps(answer) + "\n").encode())
        conn.close()


def receive(sock, role, port):
    while True:
        _, peer = sock.recvfrom(512)
        sock.sendto((json.dumps({"at": role, "port": port, "client": peer[0]}) + "\n").encode(), peer)


def serve(role):
    ports = {"proxy": [15001, 15006, 15053], "application": [8080, 9090, 15008], "peer": [53, 7070, 8080]}
    transparent = role == "transparent-proxy"
    role = "proxy" if transparent else role
    # First of all, for a packet's owner is who made the socket. A transparent proxy needs privileges, so it is known by
    # its group.
    uid = 0 if transparent else {"proxy": 1337, "application": 1000, "peer": 0}[role]
    become(uid, 1337 if role == "proxy" else 1000)
    for port in ports[role]:
        for address in ANY:
            sock = listen(address, socket.SOCK_STREAM, port, transparent)
            threading.Thread(target=accept, args=(sock, role, port, transparent), daemon=True).start()
        for address in DNS[role] if port in (53, 15053) else []:
            sock = listen(address, socket.SOCK_DGRAM, port)
            threading.Thread(target=receive, args=(sock, role, port), daemon=True).start()
    print("ready", flush=True)
    sys.stdin.read()


def ask(probe):
    if "mark" not in probe:
        become(probe.get("uid", 1000), probe.get("uid", 1000))
    host, port = probe["to"]
    domain = domain_of(host)
    udp = probe.get("udp", False)
    sock = socket.socket(domain, socket.SOCK_DGRAM if udp else socket.SOCK_STREAM)
    sock.settimeout(2)
    if "mark" in probe:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_MARK, probe["mark"])
    if "from" in probe:
        sock.bind((probe["from"], 0))
    sock.connect((host, port))
    if udp:
        sock.send(b"?")
        return json.loads(sock.recv(512))
    return json.loads(sock.makefile().readline())


def in_process(probe):
    """Each probe has a process of its own, for it changes its user."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        try:
            answer = ask(probe)
        except (OSError, ValueError) as error:
            answer = {"error": str(error)}
        os.write(writer, json.dumps(answer).encode())
        os._exit(0)
    os.close(writer)
    return reader


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(sys.argv[2])
    else:
        readers = [in_process(probe) for probe in json.load(sys.stdin)]
        print(json.dumps([json.loads(os.fdopen(reader).read()) for reader in readers]))
