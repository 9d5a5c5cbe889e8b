/* What the standard library of Rust asks for and Debian's wasi-libc (of 2022) lacks. There are no
   threads, and nothing here resolves paths. */
#include <errno.h>
#include <stddef.h>

int *__errno_location(void) { return &errno; }

int pthread_attr_init(void *attributes) { return 0; }
int pthread_attr_setstacksize(void *attributes, size_t size) { return 0; }
int pthread_attr_destroy(void *attributes) { return 0; }
int pthread_create(void *thread, void *attributes, void *start, void *argument) { return ENOSYS; }
int pthread_detach(void *thread) { return ENOSYS; }
int pthread_join(void *thread, void **result) { return ENOSYS; }

char *realpath(const char *path, char *resolved) {
  errno = ENOSYS;
  return NULL;
}
