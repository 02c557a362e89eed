// Renders templates as Go does: one JSON case a line on standard input, one JSON result a line on standard output.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig/v3"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
)

type testCase struct {
	// text: Go's own functions; sprig: sprig's beside them; helm: a chart of Helm's.
	Mode       string            `json:"mode"`
	Template   string            `json:"template"`
	Values     any               `json:"values"`
	MissingKey string            `json:"missingKey"`
	Delims     []string          `json:"delims"`
	Files      map[string]string `json:"files"`
	Strict     bool              `json:"strict"`
}

type result struct {
	Output *string `json:"output,omitempty"`
	Error  string  `json:"error,omitempty"`
}

func main() {
	input := bufio.NewReaderSize(os.Stdin, 1<<20)
	output := bufio.NewWriter(os.Stdout)
	defer output.Flush()
	decoder := json.NewDecoder(input)
	encoder := json.NewEncoder(output)
	encoder.SetEscapeHTML(false)
	for decoder.More() {
		var c testCase
		if err := decoder.Decode(&c); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		text, err := render(c)
		if err != nil {
			encoder.Encode(result{Error: err.Error()})
		} else {
			encoder.Encode(result{Output: &text})
		}
	}
}

func render(c testCase) (text string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	if c.Mode == "helm" {
		return renderChart(c)
	}
	t := template.New("test")
	if c.Mode == "sprig" {
		t.Funcs(sprig.TxtFuncMap())
	}
	if c.MissingKey != "" {
		t.Option("missingkey=" + c.MissingKey)
	}
	if len(c.Delims) == 2 {
		t.Delims(c.Delims[0], c.Delims[1])
	}
	if _, err := t.Parse(c.Template); err != nil {
		return "", err
	}
	var b strings.Builder
	err = t.Execute(&b, c.Values)
	return b.String(), err
}

func renderChart(c testCase) (string, error) {
	ch := &chart.Chart{
		Metadata: &chart.Metadata{
			APIVersion: "v2", Name: "shop", Version: "1.2.3", AppVersion: "4.5", Description: "A chart",
			Annotations: map[string]string{"category": "test"}, Keywords: []string{"a", "b"},
		},
		Templates: []*chart.File{{Name: "templates/main.yaml", Data: []byte(c.Template)}},
	}
	for name, text := range c.Files {
		file := &chart.File{Name: name, Data: []byte(text)}
		if strings.HasPrefix(name, "templates/") {
			ch.Templates = append(ch.Templates, file)
		} else {
			ch.Files = append(ch.Files, file)
		}
	}
	values, _ := c.Values.(map[string]any)
	options := chartutil.ReleaseOptions{Name: "my-release", Namespace: "my-namespace", Revision: 1, IsInstall: true}
	capabilities := chartutil.DefaultCapabilities.Copy()
	capabilities.APIVersions = chartutil.VersionSet{"v1", "apps/v1", "apps/v1/Deployment"}
	capabilities.KubeVersion = chartutil.KubeVersion{Version: "v1.31.2", Major: "1", Minor: "31"}
	top, err := chartutil.ToRenderValues(ch, values, options, capabilities)
	if err != nil {
		return "", err
	}
	rendered, err := engine.Engine{Strict: c.Strict}.Render(ch, top)
	return rendered["shop/templates/main.yaml"], err
}
