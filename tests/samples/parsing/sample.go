package p

import (
	"fmt"
	env "os"
)

// Max is it.
const Max = 3
const (
	A, B = iota, "b"
)

var v, w int = 1, 2

// Session talks.
type Session struct {
	Depth int `json:"depth"`
}
type Closer interface {
	Close(force bool) error
}
type ID int

// Mount mounts.
func (s *Session) Mount(a, b int, rest ...string) (int, error) {
	if x := find(); x > 3 {
		return 1, errors.New("bad")
	} else if a == 2 {
		return
	} else {
		other()
	}
	for i := 0; i < 3; i++ {
		step(i)
	}
	for a != b {
		turn()
	}
	for _, each := range rest {
		one(each)
	}
	s.Depth = 3
	switch a {
	case 1, 2:
		low()
	default:
		high()
	}
	switch t := v.(type) {
	case int:
		num(t)
	}
	c := &http.Client{Timeout: 30 * time.Second}
	zone := os.Getenv("ZONE")
	key := getEnv("KEY", "none")
	defer c.Close()
	go func(n int) { run(n) }(3)
	panic("boom")
	return 0, fmt.Errorf("lost %w", err)
}
