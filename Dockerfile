# Candor with dashboard and API. Build: docker build -t candor .   Run: see compose.yaml or docs/deployment.md.
ARG PYTHON=3.11
FROM python:${PYTHON}-slim AS build
# cpu: 1 GB of torch less than cuda; an empty value takes the build that the package index has.
ARG TORCH_BACKEND=cpu
RUN python -m pip install --no-cache-dir uv==0.13.9
WORKDIR /src
COPY pyproject.toml setup.py README.md LICENSE constraints.txt app.py server.py ./
COPY rag rag
COPY api api
COPY dashboard dashboard
COPY pages pages
COPY samples samples
COPY .streamlit .streamlit
RUN python -m venv --without-pip /opt/candor
RUN uv pip install --no-cache --compile-bytecode --python /opt/candor/bin/python \
    ${TORCH_BACKEND:+--torch-backend=$TORCH_BACKEND} --constraint constraints.txt '.[ocr]'
RUN /opt/candor/bin/candor --version

FROM python:${PYTHON}-slim
COPY --from=build /opt/candor /opt/candor
# All that Candor writes is in /data. The number of the user is fixed, so that a volume can be given to it.
RUN mkdir -p /data && chown 10001:10001 /data
ENV PATH=/opt/candor/bin:$PATH HOME=/data CANDOR_DATA_DIR=/data CANDOR_HOST=0.0.0.0 HF_HUB_OFFLINE=1
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8501
HEALTHCHECK --interval=15s --timeout=5s --start-period=120s --retries=4 \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8501/api/readyz', timeout=4)"]
ENTRYPOINT ["candor"]
CMD ["serve"]
