#include <stdio.h>
#include "own.h"
#define MAX 3
#define SQUARE(x) ((x) * (x))

/* Depth. */
static const int depth = 3, *where = NULL;
typedef struct node { int size; } node_t;
struct pair { int left; };
enum level { LOW = 1, HIGH };
int declared(int a, char *b);
#ifdef DEBUG
int debug = 1;
#else
int debug = 0;
#endif

// Finds it.
static int *find(int tries, const char *path, ...) {
  int r = 1;
  r = 2;
  r += 3;
  if (tries < MAX) {
    return NULL;
  } else if (path) low();
  else {
    high();
  }
  while (tries != 2) step();
  for (int i = 0; i < 5; i++) {
    turn(i);
  }
  switch (tries) {
    case 1:
      one();
      break;
    default:
      many();
  }
  s->timeout = 30;
  struct pair p = { .left = 3 };
  char *zone = getenv("ZONE");
  return &r;
}
