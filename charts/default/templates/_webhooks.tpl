{{- /* Copied from charts/common/templates/_webhooks.tpl: change it there, then `npm run gen:charts`. */ -}}
{{- /* What the webhooks and policies of validation are about. */}}
{{- define "mesh.validatedRules" -}}
- apiGroups: [security.istio.io, networking.istio.io, telemetry.istio.io, extensions.istio.io]
  apiVersions: ["*"]
  operations: [CREATE, UPDATE]
  resources: ["*"]
{{- end }}

{{- /* Where objects are validated; takes (dict "url" "service" "namespace" "caBundle"). */}}
{{- define "mesh.validationClient" -}}
{{- if .url -}}
url: {{ .url }}
{{- else -}}
service:
  name: {{ .service }}
  namespace: {{ quote .namespace }}
  path: /validate
{{- end }}
{{- with .caBundle }}
caBundle: {{ quote . }}
{{- end }}
{{- end }}

{{- /*
The failure policy of a validating webhook. Unless the user decides it, the controller of istiod does: it makes it `Fail`
once validation answers. So the chart sets it in the first installation only, and never owns what the controller changed.
*/}}
{{- define "mesh.validationFailurePolicy" -}}
{{- if .Values.base.validationCABundle -}}
failurePolicy: Fail
{{- else if .Values.base.validationFailurePolicy -}}
failurePolicy: {{ .Values.base.validationFailurePolicy }}
{{- else if not .Release.IsUpgrade -}}
failurePolicy: Ignore
{{- end }}
{{- end }}

{{- /*
The injection webhooks of a revision or tag. Takes (dict "revision" "forDefault" "everywhere" "webhook"):
  revision    what the label istio.io/rev has to be
  forDefault  whether the labels istio-injection and sidecar.istio.io/inject alone select it
  everywhere  whether pods and namespaces without any label are injected too (forDefault only)
  webhook     the fields that all of them have

No two of them match the same pod, and none a pod that opts out. The namespace's istio-injection comes before any
revision, the namespace's revision before the pod's.
*/}}
{{- define "mesh.injectionWebhooks" -}}
{{- $rev := "istio.io/rev" }}{{ $enablement := "istio-injection" }}{{ $inject := "sidecar.istio.io/inject" }}
{{- $noRevision := dict "key" $rev "operator" "DoesNotExist" }}
{{- $thisRevision := dict "key" $rev "operator" "In" "values" (list .revision) }}
{{- $noEnablement := dict "key" $enablement "operator" "DoesNotExist" }}
{{- $enabled := dict "key" $enablement "operator" "In" "values" (list "enabled") }}
{{- $notOptedOut := dict "key" $inject "operator" "NotIn" "values" (list "false") }}
{{- $optedIn := dict "key" $inject "operator" "In" "values" (list "true") }}
{{- $undecided := dict "key" $inject "operator" "DoesNotExist" }}
{{- $system := list "kube-system" "kube-public" "kube-node-lease" "local-path-storage" }}
{{- $ordinary := dict "key" "kubernetes.io/metadata.name" "operator" "NotIn" "values" $system }}
{{- $cases := list
  (list "rev.namespace" (list $thisRevision $noEnablement) (list $notOptedOut))
  (list "rev.object" (list $noRevision $noEnablement) (list $notOptedOut $thisRevision))
}}
{{- if .forDefault }}
  {{- $cases = concat $cases (list
    (list "namespace" (list $enabled) (list $notOptedOut))
    (list "object" (list $noEnablement $noRevision) (list $optedIn $noRevision)))
  }}
  {{- if .everywhere }}
    {{- $cases = append $cases (list "auto" (list $noEnablement $noRevision $ordinary) (list $undecided $noRevision)) }}
  {{- end }}
{{- end }}
{{- range $cases }}
- name: {{ index . 0 }}.sidecar-injector.istio.io
  namespaceSelector:
    matchExpressions:
      {{- toYaml (index . 1) | nindent 6 }}
  objectSelector:
    matchExpressions:
      {{- toYaml (index . 2) | nindent 6 }}
  {{- toYaml $.webhook | nindent 2 }}
  rules:
    - operations: [CREATE]
      apiGroups: [""]
      apiVersions: [v1]
      resources: [pods]
  failurePolicy: Fail
  sideEffects: None
  admissionReviewVersions: [v1]
{{- end }}
{{- end }}

{{- /*
What the policy of the stable channel refuses: kinds and fields that are not stable yet. Each row of `fields` is a list of
the telemetry API, the variable of the expression, and the field of its items that is refused.
*/}}
{{- define "mesh.stableChannel" -}}
{{- $fields := list
  (list "tracing" "t" "useRequestIdForTraceSampling")
  (list "metrics" "m" "reportingInterval")
  (list "accessLogging" "l" "filter")
}}
{{- $refused := list }}
{{- range $fields }}
  {{- $path := printf "object.spec.%s" (index . 0) }}
  {{- $item := index . 1 }}
  {{- $refused = append $refused
    (printf "(has(%s) ? %s : {}).exists(%s, has(%s.%s))" $path $path $item $item (index . 2)) }}
{{- end -}}
variables:
  {{- range list "EnvoyFilter" "WasmPlugin" "ProxyConfig" "Telemetry" "AuthorizationPolicy" }}
  - name: is{{ . }}
    expression: object.kind == '{{ . }}'
  {{- end }}
validations:
  {{- range list "EnvoyFilter" "WasmPlugin" "ProxyConfig" }}
  - expression: "!variables.is{{ . }}"
  {{- end }}
  - expression: |
      !(
        variables.isTelemetry && (
          {{ join " ||\n" $refused | nindent 10 | trim }}
        )
      )
  - expression: |
      !(
        variables.isAuthorizationPolicy &&
        has(object.spec.rules) &&
        object.spec.rules.exists(r,
          has(r.from) && r.from.exists(f,
            has(f.source) && (has(f.source.trustDomains) || has(f.source.notTrustDomains))
          )
        )
      )
{{- end }}
