// Command controllers runs a controller that the first argument names: KWOK, which plays the kubelet of fake nodes, Karpenter
// with its provider for KWOK, or Kueue. They are one program, because they share most packages, and a package takes long to
// compile. It ends when its standard input ends, so that it does not outlive the process that started it. With the second
// argument objects, it prints what a cluster needs: definitions of custom resources, and the stages of KWOK.
package main

import (
	"fmt"
	"io"
	"os"
	"strings"
)

type controller struct {
	run     func()
	objects []string
}

var programs = map[string]controller{
	"kwok": {kwok, kwokObjects}, "karpenter": {karpenter, karpenterObjects}, "kueue": {kueue, nil},
}

func main() {
	if len(os.Args) < 2 || programs[os.Args[1]].run == nil {
		fmt.Fprintln(os.Stderr, "usage: controllers kwok|karpenter|kueue [objects|flags]")
		os.Exit(2)
	}
	chosen := programs[os.Args[1]]
	os.Args = os.Args[1:]
	if len(os.Args) > 1 && os.Args[1] == "objects" {
		fmt.Println(strings.Join(chosen.objects, "\n---\n"))
		return
	}
	go endWithInput()
	chosen.run()
}

func endWithInput() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}
