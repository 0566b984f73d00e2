/* sys_socket: local sockets over which programs of the same user hand us read-only memory, and the
 * TCP socket of malitop serve. They are plain kernel objects, the local ones in a directory that
 * the caller chooses, so no test fakes them. All calls but sys_listen_local return at once. -1 and
 * errno on failure. */
#ifndef MALITOP_SYS_SOCKET_H
#define MALITOP_SYS_SOCKET_H

#include <stddef.h>
#include <sys/types.h>

/* Create a directory that only its user can enter, unless it exists. Fails with EPERM if it belongs
 * to another user, is open to others, or is a link. */
int sys_private_directory(const char *path);
/* Listen at a path in such a directory. Replaces a socket that no program listens at any more;
 * EADDRINUSE if one does; EWOULDBLOCK if another process has locked the directory for a second.
 * Returns a descriptor that is readable when a program connects. */
int sys_listen_local(const char *directory, const char *path);
/* Stop listening and remove the socket. */
void sys_unlisten_local(int fd, const char *path);
/* Accept a program of this user; others are turned away (EPERM). EAGAIN: none waits. */
int sys_accept_user(int fd);
/* The process at the other end, as it is numbered here; 0 if that cannot be known. */
int sys_peer_process(int fd);
/* Receive a message with the descriptor of a memory file, and map that read-only. The file must
 * have at most *bytes bytes, which is set to its size, and be sealed against shrinking. Returns
 * the length of the text in buf; 0: the program has hung up, or sent no text, *memory is NULL;
 * EAGAIN: no message yet. Unmap with sys_unmap. */
ssize_t sys_receive_memory(int fd, char *buf, size_t n, size_t *bytes, void **memory);
void sys_unmap(void *memory, size_t bytes);
/* Whether the program at the other end has hung up. Drops what it sends. */
int sys_hung_up(int fd);

/* Listen for TCP connections on a numeric IPv4 or IPv6 address. *port 0 lets the kernel choose;
 * *port gets the true one. Returns a descriptor; -1 and EINVAL for an address that is not
 * numeric. */
int sys_listen_tcp(const char *host, unsigned *port);
/* Whether only this machine reaches a numeric address. */
int sys_is_loopback(const char *host);
/* End a connection in both directions. Its descriptor stays open. */
void sys_hang_up(int fd);

#endif
