{{- /* Values that are no longer read, and what is: said in the notes. Some are refused, as nothing took their place. */}}
{{- define "istiod.movedValues" -}}
{{- $moved := dict
  "global.outboundTrafficPolicy" "meshConfig.outboundTrafficPolicy"
  "global.certificates" "meshConfig.certificates"
  "global.localityLbSetting" "meshConfig.localityLbSetting"
  "global.policyCheckFailOpen" "meshConfig.policyCheckFailOpen"
  "global.enableTracing" "meshConfig.enableTracing"
  "global.proxy.accessLogFormat" "meshConfig.accessLogFormat"
  "global.proxy.accessLogFile" "meshConfig.accessLogFile"
  "global.proxy.concurrency" "meshConfig.defaultConfig.concurrency"
  "global.proxy.envoyAccessLogService" "meshConfig.defaultConfig.envoyAccessLogService"
  "global.proxy.envoyMetricsService" "meshConfig.defaultConfig.envoyMetricsService"
  "global.proxy.protocolDetectionTimeout" "meshConfig.protocolDetectionTimeout"
  "global.proxy.holdApplicationUntilProxyStarts" "meshConfig.defaultConfig.holdApplicationUntilProxyStarts"
  "pilot.ingress" "meshConfig.ingressService, ingressControllerMode and ingressClass"
  "global.mtls.enabled" "a PeerAuthentication"
  "global.mtls.auto" "meshConfig.enableAutoMtls"
  "global.tracer.lightstep.address" "meshConfig.defaultConfig.tracing.lightstep.address"
  "global.tracer.lightstep.accessToken" "meshConfig.defaultConfig.tracing.lightstep.accessToken"
  "global.tracer.zipkin.address" "meshConfig.defaultConfig.tracing.zipkin.address"
  "global.tracer.datadog.address" "meshConfig.defaultConfig.tracing.datadog.address"
  "global.meshExpansion.enabled" "a Gateway to the control plane"
  "istiocoredns.enabled" "ISTIO_META_DNS_CAPTURE"
}}
{{- $refused := list "telemetry.v2.prometheus.configOverride" "telemetry.v2.stackdriver.disableOutbound" }}
{{- range list "debug" "maxNumberOfAttributes" "maxNumberOfAnnotations" "maxNumberOfMessageEvents" }}
  {{- $refused = append $refused (printf "global.tracer.stackdriver.%s" .) }}
  {{- $refused = append $refused (printf "meshConfig.defaultConfig.tracing.stackdriver.%s" .) }}
{{- end }}
{{- range $refused }}
  {{- if include "istiod.valueAt" (list $.Values .) }}{{ fail (printf "%s is removed" .) }}{{ end }}
{{- end }}
{{- range $path, $place := $moved }}
  {{- if include "istiod.valueAt" (list $.Values $path) }}

WARNING: {{ quote $path }} is deprecated; use {{ quote $place }} instead.
  {{- end }}
{{- end }}
{{- end }}

{{- /* The value at a dotted path as text, empty if there is none; takes (list VALUES PATH). */}}
{{- define "istiod.valueAt" -}}
{{- $value := index . 0 }}
{{- range splitList "." (index . 1) }}
  {{- $value = kindIs "map" $value | ternary $value (dict) | dig . nil }}
{{- end }}
{{- if not (kindIs "invalid" $value) }}{{ $value }}{{ end }}
{{- end }}
